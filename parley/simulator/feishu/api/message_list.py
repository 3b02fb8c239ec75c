"""What was said before, and what the app may do: both only read. Methods as in `messages`."""

from __future__ import annotations

import base64
import binascii

from parley.simulator.feishu.api.messages import (
    BOT_ADDED,
    BOT_MENTIONS,
    CHAT_ENTERED,
    GROUP_READING,
    READING,
    check_group_reading,
    read_json,
)
from parley.simulator.feishu.api.reactions import REACTING
from parley.simulator.feishu.api.request import FeishuRequest
from parley.simulator.feishu.api.speech import RECOGNIZING
from parley.simulator.feishu.errors import FeishuErrorResponse, invalid, no_scope
from parley.simulator.feishu.model import FeishuChat, FeishuMessage
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject

MOST_IN_PAGE = 50
USUAL_PAGE = 20
SCOPES = (
    BOT_ADDED,
    CHAT_ENTERED,
    "cardkit:card:write",
    "contact:contact.base:readonly",
    "contact:user.base:readonly",
    BOT_MENTIONS,
    "im:message.group_at_msg:readonly",
    GROUP_READING,
    REACTING,
    "im:message.p2p_msg:readonly",
    READING,
    "im:message:send_as_bot",
    "im:resource",
    RECOGNIZING,
)
_SORTS = ("ByCreateTimeAsc", "ByCreateTimeDesc")
_GRANTED, _NOT_GRANTED = 1, 2


def list_messages(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give the messages of a chat, or of a topic, a page at a time."""
    if READING in world.denied:
        raise no_scope(READING)
    found = _container(world, request)
    sort = request.query.get("sort_type", _SORTS[0])
    if sort not in _SORTS:
        raise invalid("sort_type")
    # Times are whole milliseconds; within one, messages are in the order in which they came.
    found.sort(key=lambda each: round(each.at * 1000))
    if sort == _SORTS[1]:
        found.reverse()
    start, size = _page_start(request), _page_size(request)
    page, more = found[start : start + size], len(found) > start + size
    items: list[Json] = [read_json(world, each, request) for each in page]
    token = base64.b64encode(f"{sort} {start + size}".encode()).decode() if more else ""
    return {"has_more": more, "page_token": token, "items": items}


def list_scopes(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give what the app may do."""
    told: list[Json] = [
        {"scope_name": each, "grant_status": _NOT_GRANTED if each in world.denied else _GRANTED}
        for each in SCOPES
    ]
    return {"scopes": told}


def _container(world: FeishuWorld, request: FeishuRequest) -> list[FeishuMessage]:
    kind, number = request.query.get("container_id_type"), request.query.get("container_id", "")
    if kind == "thread":
        return _topic(world, request, number)
    if kind != "chat":
        raise invalid("container_id_type")
    chat = _readable(world, number)
    start, end = _seconds(request, "start_time", 0), _seconds(request, "end_time", 2**40)
    found = (each for each in world.messages.values() if each.chat == chat.id)
    # Of a topic in a chat only the root is told.
    return [each for each in found if start <= each.at <= end and not (each.thread and each.parent)]


def _topic(world: FeishuWorld, request: FeishuRequest, number: str) -> list[FeishuMessage]:
    if "start_time" in request.query or "end_time" in request.query:
        raise _bad("thread does not support start_time and end_time")
    found = [each for each in world.messages.values() if number and each.thread == number]
    if not found:
        raise _bad("invalid container_id")
    _readable(world, found[0].chat)
    return found


def _readable(world: FeishuWorld, number: str) -> FeishuChat:
    chat = world.chats.get(number)
    if chat is None:
        raise _bad("invalid container_id")
    if chat.bot_is_gone:
        raise FeishuErrorResponse(230002, "The bot can not be outside the group.")
    check_group_reading(world, chat)
    return chat


def _seconds(request: FeishuRequest, name: str, default: int) -> int:
    value = request.query.get(name, str(default))
    if not value.isdecimal():
        raise _bad(f"invalid {name}")
    return int(value)


def _page_size(request: FeishuRequest) -> int:
    value = request.query.get("page_size", str(USUAL_PAGE))
    if not value.isdecimal() or not 1 <= int(value) <= MOST_IN_PAGE:
        raise invalid("page_size")
    return int(value)


def _page_start(request: FeishuRequest) -> int:
    """Return where a page begins; all of its requests must sort in the same way."""
    token = request.query.get("page_token", "")
    if not token:
        return 0
    try:
        sort, _, start = base64.b64decode(token, validate=True).decode().partition(" ")
    except (binascii.Error, ValueError):
        raise _bad("invalid page_token") from None
    if sort != request.query.get("sort_type", _SORTS[0]) or not start.isdecimal():
        raise _bad("invalid page_token")
    return int(start)


def _bad(reason: str) -> FeishuErrorResponse:
    return FeishuErrorResponse(230001, f"Your request contains an invalid request parameter, ext={reason}")
