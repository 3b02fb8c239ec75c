"""Inline keyboards: what the platform takes, and what becomes of a press."""

from __future__ import annotations

import time

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.api.serializers import user_json
from parley.simulator.telegram.errors import bad_request
from parley.simulator.telegram.model import PendingCallbackQuery, TelegramAccount, TelegramMessage, utf16
from parley.simulator.telegram.world import TelegramWorld

MOST_DATA = 64
"""Bytes of a button's data."""
MOST_BUTTONS = 100
MOST_ANSWER = 200
"""UTF-16 units of what who pressed is told."""
_LATE = "query is too old and response timeout expired or query ID is invalid"


def parse_keyboard(params: TelegramParams) -> JsonObject | None:
    """Return the call's keyboard, checked. Raises TelegramErrorResponse."""
    markup = params.object_or_none("reply_markup")
    rows = markup.get("inline_keyboard") if markup else None
    if not isinstance(rows, list):
        return markup
    found = [button for row in rows if isinstance(row, list) for button in row]
    if len(found) > MOST_BUTTONS:
        raise bad_request("REPLY_MARKUP_TOO_LONG")
    for button in found:
        _check(button)
    return markup


def _check(button: Json) -> None:
    if not isinstance(button, dict) or not isinstance(button.get("text"), str) or not button["text"]:
        raise bad_request('can\'t parse inline keyboard button: Field "text" must be a non-empty String')
    data = button.get("callback_data")
    if data is None and len(button) == 1:
        raise bad_request("text buttons are unallowed in the inline keyboard")
    if data is not None and not 1 <= len(str(data).encode()) <= MOST_DATA:
        raise bad_request("BUTTON_DATA_INVALID")


def press_button(
    world: TelegramWorld, by: TelegramAccount, message: TelegramMessage, data: str, body: JsonObject
) -> str:
    """Tell the bot of a pressed button; returns the id under which it may answer."""
    query = world.next_query()
    world.presses[query] = PendingCallbackQuery(by.id, message.chat, time.time())
    update: JsonObject = {"id": query, "from": user_json(by), "chat_instance": "1", "data": data}
    world.push("callback_query", update | {"message": body})
    return query


def answer_callback_query(world: TelegramWorld, params: TelegramParams) -> Json:
    """Put an end to a pressed button's waiting, with a note for who pressed it."""
    pressed = world.presses.get(params.text("callback_query_id"))
    if pressed is None or time.time() - pressed.at > world.query_life:
        raise bad_request(_LATE)
    text = params.text("text")
    if utf16(text) > MOST_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    pressed.answered, pressed.text, pressed.alert = True, text, params.flag("show_alert")
    world.touch()
    return True
