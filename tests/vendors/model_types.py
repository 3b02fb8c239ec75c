"""Records of the contract's wire against the models that Feishu and DingTalk publish in Python."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from parley.core.model.types import Json
from tests.kit.wire_shapes import nested_json
from tests.vendors.node_bot import SDKS
from tests.vendors.python_models import VendorCall, VendorModels, read_dingtalk, read_feishu

Record = Mapping[str, Json]
_FEISHU = ("im/v1", "cardkit/v1", "contact/v3", "auth/v3", "application/v6", "speech_to_text/v1")
_DINGTALK = ("card_1_0", "robot_1_0", "oauth2_1_0", "gateway_1_0", "contact_1_0")
_EVENTS = {
    "im.message.receive_v1": "P2ImMessageReceiveV1Data",
    "card.action.trigger": "P2CardActionTriggerData",
}
_OUTSIDE = (
    "websocket",
    "/bot/v3/info",
    "/callback/ws/endpoint",
    "/file/",
    "/media/upload",
    "/topapi/",
    "/robot/sendBySession",
)
"""What no model is published for."""


def feishu_models() -> list[VendorModels]:
    """Return what lark_oapi, which is installed, declares, each service by itself: names come twice."""
    found = importlib.util.find_spec("lark_oapi")
    assert found is not None
    assert found.origin is not None
    return [read_feishu(Path(found.origin).parent, service) for service in _FEISHU]


def dingtalk_models() -> list[VendorModels]:
    """Return what alibabacloud_dingtalk declares."""
    package = SDKS / "python" / "alibabacloud_dingtalk"
    assert package.is_dir(), f"the vendor's models are not in {package}: run make vendors"
    return [read_dingtalk(package, service) for service in _DINGTALK]


def wrong_calls(services: Sequence[VendorModels], records: Sequence[Record]) -> Iterator[str]:
    """Yield each call that is not declared, and what of a call or its answer is not as it is declared."""
    for record in records:
        path, method = str(record.get("path", "")), str(record.get("method", ""))
        if record["kind"] != "call" or any(each in path for each in _OUTSIDE):
            continue
        found = ((models, call) for models in services if (call := models.call(method, path)) is not None)
        models, call = next(found, (None, None))
        if models is None or call is None:
            yield f"{method} {path} is not declared"
        else:
            yield from _wrong_call(models, call, record, f"{method} {path}")


def _wrong_call(models: VendorModels, call: VendorCall, record: Record, where: str) -> Iterator[str]:
    for key in _object(record["query"]):
        if key not in call.query:
            yield f"{where}?{key} is not declared"
    if record["encoding"] == "json":
        yield from models.wrong(record["body"], call.body, where)
    answer = _object(record["response"])
    if record["status"] == 200 and call.answer in models.fields:
        value = _object(answer["data"] if "code" in answer and "data" in answer else answer)
        known = {key: each for key, each in value.items() if key not in ("code", "msg")}
        yield from models.wrong(known, call.answer, f"answer to {where}", spelled=True)


def wrong_feishu_events(services: Sequence[VendorModels], records: Sequence[Record]) -> Iterator[str]:
    """Yield what of an event is not as it is declared, and each event that is not."""
    for record in records:
        payload = _object(_object(record.get("data")).get("payload"))
        kind = str(_object(payload.get("header")).get("event_type", ""))
        if record.get("inward") and kind in _EVENTS:
            models = next(each for each in services if _EVENTS[kind] in each.fields)
            yield from models.wrong(payload.get("event"), _EVENTS[kind], kind, spelled=True)


def _object(value: Json) -> dict[str, Json]:
    found = nested_json(value)
    return dict(value) if isinstance(value, dict) else dict(found) if isinstance(found, dict) else {}
