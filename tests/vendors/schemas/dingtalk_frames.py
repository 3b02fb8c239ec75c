"""Frames of DingTalk's stream, their acknowledgements and what they carry, by DingTalk's own SDKs.

The Python SDK says which names there are (it leaves the others to `extensions`), the Node SDK which types.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dingtalk_stream.card_callback import (  # type: ignore[import-untyped]
    Card_Callback_Router_Topic,
    CardCallbackMessage,
)
from dingtalk_stream.chatbot import ChatbotMessage  # type: ignore[import-untyped]
from dingtalk_stream.frames import (  # type: ignore[import-untyped]
    AckMessage,
    CallbackMessage,
    Headers,
    SystemMessage,
)

from parley.core.model.types import Json
from tests.vendors.node_bot import SDKS
from tests.vendors.schemas.python_models import VendorModels
from tests.vendors.schemas.typescript import TypedValue, wrong_values

Record = Mapping[str, Json]
_IMPORTS = (
    'import type { DWClientDownStream, RobotTextMessage } from "dingtalk-stream"; '
    'type Robot = Omit<RobotTextMessage, "msgtype" | "text">;'
)
_BEYOND_SDK = frozenset({"text", "content", "originalMsgId", "originalProcessQueryKey"})
"""Documented fields of a message that the SDK reads of some kinds of messages only, or not at all."""
_PRESS = frozenset({"extension", "corpId", "userId", "outTrackId", "content", "type"})
_BEYOND_PRESS = frozenset({"userIdType", "spaceType", "spaceId", "value"})
"""Documented fields of a press that the SDK names and does not read; `value` is the same as content."""
_REPLIES = ({"response"}, {"opaque"}, {"reason"}, {"status", "message"})
"""What the SDK's handlers acknowledge a callback, a ping, the end of a connection and an event with."""
_CARD = {
    "cardUpdateOptions": "UpdateCardRequestCardUpdateOptions",
    "cardData": "UpdateCardRequestCardData",
    "userPrivateData": "PrivateDataValue",
}


def wrong_dingtalk_frames(cards: VendorModels, records: Sequence[Record]) -> list[str]:
    """Return what of frames and acknowledgements is not as the SDKs have it."""
    typed: list[TypedValue] = []
    found: list[str] = []
    for record in records:
        data = record.get("data")
        if record["kind"] != "frame" or not isinstance(data, dict):
            continue
        if record["inward"]:
            typed += _typed(data)
            found += _wrong_frame(data)
        else:
            found += _wrong_acknowledgement(cards, data)
    return [*found, *wrong_values("dingtalk", _IMPORTS, typed)]


def _typed(frame: Mapping[str, Json]) -> Iterator[TypedValue]:
    yield TypedValue(dict(frame), "DWClientDownStream", "frame")
    payload = _read(frame.get("data"))
    if _topic(frame) == ChatbotMessage.TOPIC:
        known = {name for name in payload if name not in _outside(payload)} - {"msgtype", "text"}
        declared = (SDKS / "node_modules/dingtalk-stream/dist/constants.d.ts").read_text("utf-8")
        named = {name: payload[name] for name in known if f"    {name}:" in declared}
        yield TypedValue(named, "Partly<Robot>", "message")


def _wrong_frame(frame: Mapping[str, Json]) -> Iterator[str]:
    kind, topic, payload = frame.get("type"), _topic(frame), _read(frame.get("data"))
    read = SystemMessage.from_dict(frame) if kind == "SYSTEM" else CallbackMessage.from_dict(frame)
    for name in (*read.extensions, *read.headers.extensions):
        yield f"frame {kind}: {name} is not declared"
    if topic == ChatbotMessage.TOPIC:
        for name in _outside(payload) - _BEYOND_SDK:
            yield f"message: {name} is not declared"
    elif topic == Card_Callback_Router_Topic:
        CardCallbackMessage.from_dict(payload)
        for name in payload.keys() - _PRESS - _BEYOND_PRESS:
            yield f"press: {name} is not declared"
    elif kind != "SYSTEM" or topic not in ("ping", SystemMessage.TOPIC_DISCONNECT, "KEEPALIVE"):
        yield f"frame {kind} {topic} is not declared"


def _outside(payload: dict[str, Any]) -> set[str]:
    return set(ChatbotMessage.from_dict(payload).extensions)


def _wrong_acknowledgement(cards: VendorModels, given: Mapping[str, Json]) -> Iterator[str]:
    headers, data = given.get("headers"), _read(given.get("data"))
    made = AckMessage()
    made.code, made.message, made.data = given.get("code"), given.get("message"), data
    made.headers = Headers.from_dict(headers if isinstance(headers, dict) else {})
    if made.headers.extensions or made.to_dict() | {"data": data} != {**given, "data": data}:
        yield f"acknowledgement is {dict(given)!r}"
    if not made.headers.message_id:
        yield "acknowledgement: messageId is missing"
    if made.code not in (200, 400, 404, 500):
        yield f"acknowledgement: code is {made.code!r}"
    if set(data) not in _REPLIES:
        yield f"acknowledgement: data is {data!r}"
    response = data.get("response")
    for name, value in response.items() if isinstance(response, dict) else ():
        if name not in _CARD:
            yield f"acknowledgement of a press: {name} is not declared"
        else:
            yield from cards.wrong(value, _CARD[name], f"acknowledgement of a press.{name}")


def _topic(frame: Mapping[str, Json]) -> Json:
    headers = frame.get("headers")
    return headers.get("topic") if isinstance(headers, dict) else None


def _read(text: Json) -> dict[str, Any]:
    found = json.loads(text) if isinstance(text, str) else None
    return found if isinstance(found, dict) else {}
