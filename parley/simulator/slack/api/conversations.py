"""What was said before: conversations.history and conversations.replies, as Slack's reference has them."""

from __future__ import annotations

import base64
import binascii

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.slack.api.methods import Method
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.api.serializers import message_json
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import SlackChat, SlackMessage
from parley.simulator.slack.world import SlackWorld

MOST = 999
MOST_FOR_SALE = 15
"""What an app that is sold outside the Marketplace gets at once, since May 2025."""
_SCOPES = {
    "channel": "channels:history",
    "group": "groups:history",
    "im": "im:history",
    "mpim": "mpim:history",
}
_CURSOR = "next_ts:"


def history(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Give messages outside threads, newest first."""
    chat = _chat(world, params)
    found = [each for each in world.messages[chat.id].values() if not each.thread or _is_broadcast(each)]
    return _page(world, params, _in_time(params, found)[::-1], default=100, rising=False)


def replies(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Give a thread, its root first, oldest first."""
    chat, named = _chat(world, params), params.needed("ts")
    message = world.messages[chat.id].get(named)
    if message is None:
        raise SlackErrorResponse("thread_not_found")
    root = message.thread or message.ts
    found = [each for each in world.messages[chat.id].values() if root in (each.ts, each.thread)]
    return _page(world, params, _in_time(params, found), default=1000, rising=True)


def _chat(world: SlackWorld, params: SlackParams) -> SlackChat:
    chat = world.chat_for_bot(params.needed("channel"))
    scope = _SCOPES[chat.kind]
    if scope not in world.scopes:
        raise SlackErrorResponse("missing_scope", needed=scope)
    if world.bot.id not in chat.members:
        raise SlackErrorResponse("not_in_channel")
    return chat


def _is_broadcast(message: SlackMessage) -> bool:
    return message.subtype == "thread_broadcast"


def _in_time(params: SlackParams, found: list[SlackMessage]) -> list[SlackMessage]:
    """Return the messages between `oldest` and `latest`, these among them only where that is asked for."""
    oldest, latest = _moment(params, "oldest", 0.0), _moment(params, "latest", float("inf"))
    inclusive = params.flag("inclusive")
    kept = (each for each in found if oldest <= each.at <= latest)
    return sorted((each for each in kept if inclusive or oldest < each.at < latest), key=lambda each: each.at)


def _moment(params: SlackParams, name: str, default: float) -> float:
    try:
        return float(params.text(name) or default)
    except ValueError:
        raise SlackErrorResponse(f"invalid_ts_{name}") from None


def _page(
    world: SlackWorld, params: SlackParams, found: list[SlackMessage], *, default: int, rising: bool
) -> JsonObject:
    limit = params.integer("limit", default)
    if limit < 1:
        raise SlackErrorResponse("invalid_limit")
    limit = min(limit, MOST_FOR_SALE if world.for_sale else MOST)
    if cursor := params.text("cursor"):
        after = _read_cursor(cursor)
        found = [each for each in found if (each.at >= after if rising else each.at <= after)]
    page, rest = found[:limit], found[limit:]
    with_metadata = params.flag("include_all_metadata")
    shown: list[Json] = [told(world, each, metadata=with_metadata) for each in page]
    following = _spell_cursor(rest[0]) if rest else ""
    return {"messages": shown, "has_more": bool(rest), "response_metadata": {"next_cursor": following}}


def told(world: SlackWorld, message: SlackMessage, *, metadata: bool = False) -> JsonObject:
    """Return a message of the past: with what a thread's root tells of it, and blocks, as sent."""
    body = message_json(world, message, metadata=metadata)
    if message.blocks:
        body["blocks"] = message.blocks
    if not message.thread and (others := _thread_of(world, message)):
        users: list[Json] = list(dict.fromkeys(each.sender for each in others))
        body |= {"thread_ts": message.ts, "reply_count": len(others), "reply_users_count": len(users)}
        body |= {"reply_users": users[:5], "latest_reply": others[-1].ts, "is_locked": False}
    if message.thread in world.messages[message.chat]:
        body["parent_user_id"] = world.messages[message.chat][message.thread].sender
    return {key: value for key, value in (body | message.extra).items() if value is not None}


def _thread_of(world: SlackWorld, root: SlackMessage) -> list[SlackMessage]:
    return [each for each in world.messages[root.chat].values() if each.thread == root.ts]


def _spell_cursor(message: SlackMessage) -> str:
    return base64.b64encode(f"{_CURSOR}{message.ts.replace('.', '')}".encode()).decode()


def _read_cursor(cursor: str) -> float:
    try:
        spelled = base64.b64decode(cursor, validate=True).decode()
        return int(spelled.removeprefix(_CURSOR)) / 1_000_000
    except (binascii.Error, ValueError):
        raise SlackErrorResponse("invalid_cursor") from None


METHODS: dict[str, tuple[Method, str]] = {
    "conversations.history": (history, ""),
    "conversations.replies": (replies, ""),
}
"""Which scope they need depends on the chat."""
