"""The Web API's methods about messages and people. Each takes the locked world and parameters."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.api.serializers import message_json, user_json
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import EphemeralMessage, SlackChat, SlackMessage
from parley.simulator.slack.rendering.blocks import check_blocks
from parley.simulator.slack.world import TEAM, SlackWorld

_LIMITS = load_limits("slack")
MOST_MARKDOWN = _LIMITS["markdown_text"].whole
MOST_TEXT = _LIMITS["message_text"].whole
MOST_UPDATED_TEXT = _LIMITS["update_text"].whole
_TABLES = _LIMITS["markdown_text_tables"].value == "drawn"
Method: TypeAlias = Callable[[SlackWorld, SlackParams], JsonObject]


def auth_test(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Tell who the token belongs to."""
    return {
        "url": "https://sim.slack.com/",
        "team": "Simulated",
        "user": world.bot.handle,
        "team_id": TEAM,
        "user_id": world.bot.id,
        "bot_id": world.bot.bot_id,
        "is_enterprise_install": False,
    }


def find_thread_root(world: SlackWorld, chat: SlackChat, params: SlackParams) -> str:
    """Return the root of the thread that the call names, "" for none.

    A ts that is no message's is no error of chat.postMessage (docs.slack.dev/reference/methods/
    chat.postMessage#errors): what is posted stands in a thread that nobody sees the root of.
    """
    ts = params.text("thread_ts")
    root = world.messages[chat.id].get(ts)
    return ts if root is None else root.thread or root.ts


def set_content(message: SlackMessage, params: SlackParams) -> None:
    """Put the call's content into a message. Raises SlackErrorResponse, changing nothing."""
    markdown, text, blocks = params.text("markdown_text"), params.text("text"), params.array("blocks")
    if markdown and (text or blocks):
        raise SlackErrorResponse("markdown_text_conflict")
    if len(markdown) > MOST_MARKDOWN:
        raise SlackErrorResponse("msg_too_long")
    check_blocks(blocks)
    if not (markdown.strip() or text.strip() or blocks):
        raise SlackErrorResponse("no_text")
    message.markdown, message.text = markdown, text[:MOST_TEXT]
    message.tables = _TABLES
    # A text alone leaves a message the blocks that it had.
    if markdown or "blocks" in params.values:
        message.blocks = blocks
    if "metadata" in params.values:
        message.metadata = metadata(params)


def metadata(params: SlackParams) -> JsonObject:
    """Return the call's metadata. Raises SlackErrorResponse."""
    given = params.object("metadata")
    if given and not (
        isinstance(given.get("event_type"), str) and isinstance(given.get("event_payload"), dict)
    ):
        raise SlackErrorResponse("invalid_metadata_format")
    return given


def post_message(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Post a new message."""
    chat = world.chat_for_bot(params.needed("channel"))
    thread = find_thread_root(world, chat, params)
    set_content(SlackMessage("", chat.id, world.bot.id, 0.0), params)
    message = world.post(chat, world.bot, thread)
    set_content(message, params)
    message.marked = params.flag("mrkdwn", default=True)
    return _told(world, chat, message)


def post_ephemeral(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Post a message that only one member of the chat sees; it can neither be changed nor found again."""
    chat = world.chat_for_bot(params.needed("channel"))
    thread, user = find_thread_root(world, chat, params), params.needed("user")
    if user not in chat.members:
        raise SlackErrorResponse("user_not_in_channel")
    message = SlackMessage(world.new_ts(), chat.id, world.bot.id, 0.0)
    set_content(message, params)
    world.whispers.append(EphemeralMessage(chat.id, thread, user, world.drawn(message)[0]))
    world.touch()
    return {"message_ts": message.ts}


def update(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Put another content for a message of the app; streaming ones cannot be changed so."""
    chat = world.chat_for_bot(params.needed("channel"))
    message = world.own(chat, params.needed("ts"))
    if message.streaming and time.time() < message.stream_ends:
        raise SlackErrorResponse("streaming_state_conflict")
    if len(params.text("text")) > MOST_UPDATED_TEXT:
        raise SlackErrorResponse("msg_too_long")
    set_content(message, params)
    # It has no argument to say that a text is no mrkdwn.
    message.marked, message.edited, message.tasks = True, True, {}
    return _told(world, chat, message)


def _told(world: SlackWorld, chat: SlackChat, message: SlackMessage) -> JsonObject:
    world.note_shown(message)
    world.emit(message_json(world, message) | {"channel": chat.id, "channel_type": chat.kind})
    return {"channel": chat.id, "ts": message.ts, "message": message_json(world, message, metadata=True)}


def delete(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Take a message of the app away."""
    chat = world.chat_for_bot(params.needed("channel"))
    message = world.own(chat, params.needed("ts"))
    del world.messages[chat.id][message.ts]
    world.touch()
    return {"channel": chat.id, "ts": message.ts}


def users_info(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Give a person."""
    account = world.accounts.get(params.needed("user"))
    if account is None:
        raise SlackErrorResponse("user_not_found")
    return {"user": user_json(account, locale=params.flag("include_locale"))}


def conversations_info(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Give a chat."""
    chat = world.chats.get(params.needed("channel"))
    if chat is None:
        raise SlackErrorResponse("channel_not_found")
    return {"channel": {"id": chat.id, "name": chat.title, "is_im": chat.kind == "im", "is_member": True}}


METHODS: dict[str, tuple[Method, str]] = {
    "auth.test": (auth_test, ""),
    "chat.postMessage": (post_message, "chat:write"),
    "chat.postEphemeral": (post_ephemeral, "chat:write"),
    "chat.update": (update, "chat:write"),
    "chat.delete": (delete, "chat:write"),
    "users.info": (users_info, "users:read"),
    "conversations.info": (conversations_info, ""),
}
"""Each with the scope that it needs."""
