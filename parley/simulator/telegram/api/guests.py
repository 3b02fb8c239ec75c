"""Guest queries: somebody calls the bot in a chat that it is no member of, and it answers once, and soon."""

from __future__ import annotations

import time

from parley.simulator.kit.json_values import Json, JsonObject, as_object
from parley.simulator.telegram.api import entities
from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.api.serializers import chat_json, user_json
from parley.simulator.telegram.errors import bad_request
from parley.simulator.telegram.model import PendingGuestQuery, TelegramChat, TelegramMessage, utf16
from parley.simulator.telegram.world import TelegramWorld

MOST_TEXT = 4096
_LATE = "query is too old and response timeout expired or query ID is invalid"


def call_bot(world: TelegramWorld, chat: TelegramChat, message: TelegramMessage) -> str:
    """Tell the bot of a message that calls it where it is no member; returns the query's id."""
    query = world.next_query()
    world.guests[query] = PendingGuestQuery(chat.id, time.time())
    told: JsonObject = {
        "message_id": message.id,
        "from": user_json(world.accounts[message.sender]),
        "chat": chat_json(chat),
        "date": int(message.at),
        "text": message.text,
        "entities": message.entities,
        "guest_query_id": query,
    }
    world.push("guest_message", told)
    return query


def answer_guest_query(world: TelegramWorld, params: TelegramParams) -> Json:
    """Post the bot's answer to a guest query."""
    query = world.guests.get(params.text("guest_query_id"))
    if query is None or query.message or time.time() - query.at > world.query_life:
        raise bad_request(_LATE)
    result = params.object_or_none("result") or {}
    content = as_object(result.get("input_message_content"))
    if result.get("type") != "article" or not result.get("id") or not result.get("title"):
        raise bad_request("can't parse inline query result")
    text, marks = _text_of(content.get("message_text"), content.get("entities"))
    message = world.post(world.chats[query.chat], world.bot, None)
    message.text, message.entities = text, marks
    query.message = message.id
    return {"inline_message_id": f"guest-{params.text('guest_query_id')}"}


def edit_guest_message(world: TelegramWorld, params: TelegramParams) -> Json:
    """Put another text for the bot's answer to a guest query."""
    query = world.guests.get(params.text("inline_message_id").removeprefix("guest-"))
    message = None if query is None else world.message(query.chat, query.message)
    if message is None:
        raise bad_request("MESSAGE_ID_INVALID")
    text, marks = _text_of(params.text("text"), params.array("entities"))
    if (message.text, message.entities) == (text, marks):
        raise bad_request("message is not modified")
    message.text, message.entities, message.edited_at = text, marks, time.time()
    world.touch()
    return True


def _text_of(text: Json, marks: Json) -> tuple[str, list[Json]]:
    if not isinstance(text, str) or not text.strip():
        raise bad_request("message text is empty")
    if utf16(text) > MOST_TEXT:
        raise bad_request("MESSAGE_TOO_LONG")
    return text, entities.check_entities(text, marks if isinstance(marks, list) else [])
