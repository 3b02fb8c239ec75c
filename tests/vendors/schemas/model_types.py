"""Records of the contract's wire against the models that Feishu and DingTalk publish in Python."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from parley.core.model.types import Json
from tests.kit.wire_shapes import nested_json
from tests.vendors.node_bot import SDKS
from tests.vendors.schemas.python_models import (
    REFUSAL,
    VendorCall,
    VendorModels,
    read_dingtalk,
    read_dingtalk_refusal,
    read_feishu,
    read_feishu_envelope,
)

_DATA = 1
"""The method of a frame of Feishu that carries an event, or its acknowledgement."""
Record = Mapping[str, Json]
_FEISHU = ("im/v1", "cardkit/v1", "contact/v3", "auth/v3", "application/v6", "speech_to_text/v1")
_DINGTALK = ("card_1_0", "robot_1_0", "oauth2_1_0", "gateway_1_0", "contact_1_0")
_OUTSIDE = (
    "websocket",
    "/bot/v3/info",
    "/callback/ws/endpoint",
    "/file/",
    "/media/upload",
    "/topapi/",
    "/robot/sendBySession",
    "/app/registration",
)
"""What no model is published for."""


def feishu_models() -> list[VendorModels]:
    """Return what lark_oapi, which is installed, declares, each service by itself: names come twice."""
    found = importlib.util.find_spec("lark_oapi")
    assert found is not None
    assert found.origin is not None
    return [read_feishu(Path(found.origin).parent, service) for service in _FEISHU]


def feishu_envelope() -> VendorModels:
    """Return what lark_oapi declares around calls and events."""
    found = importlib.util.find_spec("lark_oapi")
    assert found is not None
    assert found.origin is not None
    return read_feishu_envelope(Path(found.origin).parent)


def dingtalk_models() -> list[VendorModels]:
    """Return what alibabacloud_dingtalk declares."""
    package = SDKS / "python" / "alibabacloud_dingtalk"
    assert package.is_dir(), f"the vendor's models are not in {package}: run make vendors"
    return [read_dingtalk(package, service) for service in _DINGTALK]


def dingtalk_envelope() -> VendorModels:
    """Return what DingTalk's gateway client reads of a refusal."""
    return read_dingtalk_refusal(SDKS / "python" / "alibabacloud_gateway_dingtalk" / "client.py")


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
    if record["encoding"] in ("json", "multipart"):
        spelled = record["encoding"] == "multipart"
        yield from models.wrong(record["body"], call.body, where, spelled=spelled)
    answer = _object(record["response"])
    if record["status"] == 200 and call.answer in models.fields:
        value = _object(answer["data"] if "code" in answer and "data" in answer else answer)
        known = {key: each for key, each in value.items() if key not in ("code", "msg")}
        yield from models.wrong(known, call.answer, f"answer to {where}", spelled=True)


def wrong_refusals(envelope: VendorModels, needed: Sequence[str], records: Sequence[Record]) -> Iterator[str]:
    """Yield what of an answer other than 200 is not as the SDK reads it; pages of proxies are left out."""
    for record in records:
        answer = record.get("response")
        if record["kind"] != "call" or record["status"] in (101, 200) or not isinstance(answer, dict):
            continue
        where = f"refusal of {record['method']} {record['path']}"
        if "/media/" not in where and "/topapi/" not in where:
            yield from (f"{where}: {name} is missing" for name in needed if name not in answer)
            yield from envelope.wrong(answer, REFUSAL, where)


def wrong_feishu_events(
    services: Sequence[VendorModels], envelope: VendorModels, records: Sequence[Record]
) -> Iterator[str]:
    """Yield what of an event is not as it is declared, and each event that is not."""
    for record in records:
        data = _object(record.get("data"))
        payload = _object(data.get("payload"))
        if record["kind"] == "frame" and record["inward"] and data.get("method") == _DATA and payload:
            header = _object(payload.get("header"))
            kind = str(header.get("event_type", ""))
            model = f"P2{''.join(part.capitalize() for part in re.split('[._]', kind))}Data"
            models = next((each for each in services if model in each.fields), None)
            yield from envelope.wrong(header, "EventHeader", f"header of {kind}")
            if models is None:
                yield f"event {kind} is not declared"
            else:
                yield from models.wrong(payload.get("event"), model, kind, spelled=True)
        elif record["kind"] == "frame" and not record["inward"] and data.get("method") == _DATA:
            yield from _wrong_feishu_acknowledgement(envelope, payload)


def _wrong_feishu_acknowledgement(models: VendorModels, given: Mapping[str, Json]) -> Iterator[str]:
    yield from models.wrong(given, "Response", "acknowledgement")
    if (inner := given.get("data")) is not None:
        card = json.loads(base64.b64decode(str(inner), validate=True))
        yield from models.wrong(card, "P2CardActionTriggerResponse", "acknowledgement of a press")


def _object(value: Json) -> dict[str, Json]:
    found = nested_json(value)
    return dict(value) if isinstance(value, dict) else dict(found) if isinstance(found, dict) else {}
