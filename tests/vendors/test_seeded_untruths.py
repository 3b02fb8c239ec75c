"""Each check of the wire finds what it is there for: a truth passes, and one untruth in it is named."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.vendors.test_schemas import CHECKS

pytestmark = [pytest.mark.vendors, pytest.mark.timeout(120)]
Values = Mapping[str, Any]


def call(path: str, *, method: str = "POST", **more: object) -> dict[str, Any]:
    """A record of a call."""
    usual = {"query": {}, "encoding": "json", "body": {}, "status": 200, "response": {}, "headers": {}}
    return {"kind": "call", "method": method, "path": path, **usual, **more}


def frame(data: Values, *, inward: bool = True) -> dict[str, Any]:
    """A record of a frame."""
    return {"kind": "frame", "inward": inward, "data": dict(data)}


def check(platform: str, truths: Sequence[Values], untruths: Sequence[tuple[Values, str]]) -> None:
    """Check that nothing is said against truths, and that each untruth is named; once for all of them."""
    assert CHECKS[platform]([dict(each) for each in truths]) == []
    found = CHECKS[platform]([dict(record) for record, _ in untruths])
    assert [named for _, named in untruths if not any(named in each for each in found)] == [], found


_HEADERS = {
    "appId": "a", "connectionId": "c", "contentType": "application/json", "messageId": "m", "time": "1",
    "topic": "/v1.0/im/bot/messages/get",
}  # fmt: skip
_SAID = {"msgId": "1", "msgtype": "text", "text": {"content": "hi"}, "isAdmin": False, "senderNick": "Ann"}
_ANSWER = {"response": {"userPrivateData": {"cardParamMap": {"note": "x"}}}}


def pushed(said: Values = _SAID, headers: Values = _HEADERS, **more: object) -> dict[str, Any]:
    data = {"specVersion": "1.0", "type": "CALLBACK", "headers": dict(headers), "data": json.dumps(said)}
    return frame(data | more)


def acknowledged(answer: Values = _ANSWER, **more: object) -> dict[str, Any]:
    headers = {"contentType": "application/json", "messageId": "m"}
    data = {"code": 200, "headers": headers, "message": "", "data": json.dumps(answer)}
    return frame(data | more, inward=False)


_PRESS_HEADERS = _HEADERS | {"topic": "/v1.0/card/instances/callback"}
_PRESSED = {"extension": "{}", "content": "{}", "outTrackId": "1", "userId": "u"}


def test_frames_of_dingtalk():
    check(
        "dingtalk",
        [pushed(), pushed(_PRESSED, _PRESS_HEADERS)],
        [
            (pushed(bogus=1), "frame CALLBACK: bogus is not declared"),
            (pushed(headers=_HEADERS | {"forged": "1"}), "frame CALLBACK: forged is not declared"),
            (pushed(specVersion=5), "'number' is not assignable to type 'string'"),
            (pushed(headers={k: v for k, v in _HEADERS.items() if k != "appId"}), "'appId' is missing"),
            (pushed(headers=_HEADERS | {"topic": "/no/such"}), "/no/such is not declared"),
            (pushed(_SAID | {"odd": 1}), "message: odd is not declared"),
            (pushed(_SAID | {"isAdmin": "no"}), "'string' is not assignable to type 'boolean"),
            (pushed(_PRESSED | {"other": 1}, _PRESS_HEADERS), "press: other is not declared"),
        ],
    )


def test_acknowledgements_to_dingtalk():
    def answered(answer: Values) -> dict[str, Any]:
        return acknowledged(data=json.dumps(answer))

    check(
        "dingtalk",
        [acknowledged(), answered({"response": "OK"}), answered({"reason": "it ends"})],
        [
            (acknowledged(code=201), "code is 201"),
            (acknowledged(headers={"contentType": "application/json"}), "messageId is missing"),
            (acknowledged(bogus=1), "'bogus': 1"),
            (answered({"answer": "OK"}), "data is {'answer'"),
            (answered({"response": {"odd": {}}}), "press: odd"),
            (answered({"response": {"cardData": {"cardParamMap": {"a": 1}}}}), "cardParamMap[] is 1"),
        ],
    )


def test_the_query_of_getupdates():
    def asked(**query: str) -> dict[str, Any]:
        more: Values = {"body": None, "encoding": "", "response": {"ok": True, "result": []}}
        return call("/ID/getUpdates", query=query, **more)

    check(
        "telegram",
        [asked(offset="0", timeout="5", allowed_updates='["message", "my_chat_member"]')],
        [
            (asked(bogus="1"), "bogus is not declared"),
            (asked(allowed_updates='["no_such_update"]'), "no_such_update"),
            (asked(timeout="soon"), "'\"soon\"' is not assignable"),
        ],
    )


def test_multipart_bodies():
    def sent(path: str, **body: object) -> dict[str, Any]:
        return call(path, body=body, encoding="multipart", response=None)

    document, upload, file = "/ID/sendDocument", "/open-apis/im/v1/files", {"file": "x", "size": 1}
    check(
        "telegram",
        [sent(document, chat_id="1", document="attach://a", a=file)],
        [
            (sent(document, chat_id="1", document="attach://gone"), "a part that is not there"),
            (sent(document, chat_id="1", document="attach://a", a=file, odd="1"), "odd is not declared"),
        ],
    )
    check(
        "feishu",
        [sent(upload, file_type="stream", file_name="x", duration="3", file=file)],
        [
            (sent(upload, odd="1"), "odd is not declared"),
            (sent(upload, duration="long"), "duration is 'long'"),
            (sent(upload, file_name=file), "file_name is {'file'"),
        ],
    )


def test_answers_other_than_200():
    def refused(path: str, answer: Values, method: str = "POST", **body: str) -> dict[str, Any]:
        encoding = "form" if body else "json"
        return call(path, method=method, status=400, response=answer, body=body, encoding=encoding)

    def feishu(**answer: object) -> dict[str, Any]:
        return refused("/open-apis/im/v1/messages", {"code": 230013, **answer})

    def dingtalk(**answer: object) -> dict[str, Any]:
        return refused("/v1.0/card/streaming", {"message": "no", **answer}, method="PUT")

    def telegram(**answer: object) -> dict[str, Any]:
        said = {"chat_id": "1", "text": "x"}
        return refused("/ID/sendMessage", {"ok": False, "description": "no", **answer}, **said)

    check(
        "feishu",
        [feishu(msg="no", data={}, error={"log_id": "l"})],
        [
            (feishu(msg="no", odd=1), "odd is not declared"),
            (feishu(msg=5), "msg is 5"),
            (feishu(msg="no", error={"helps": [{"bogus": 1}]}), "helps[].bogus is not declared"),
            (feishu(), "msg is missing"),
        ],
    )
    check(
        "dingtalk",
        [dingtalk(code="param.error", requestid="r")],
        [
            (dingtalk(code="param.error", requestid="r", odd=1), "odd is not declared"),
            (dingtalk(code=5, requestid="r"), "code is 5"),
            (dingtalk(code="param.error"), "requestid is missing"),
        ],
    )
    check(
        "telegram",
        [telegram(error_code=400)],
        [
            (telegram(error_code=400, odd=1), "odd is not declared"),
            (telegram(error_code="400"), "'string' is not assignable to type 'number'"),
        ],
    )


def _event(kind: str, event: Values, **header: object) -> dict[str, Any]:
    payload = {"schema": "2.0", "header": {"event_type": kind, "event_id": "e", **header}, "event": event}
    return frame({"method": 1, "headers": {"type": "event"}, "payload": payload})


def _replied(card: Values | None = None, **more: object) -> dict[str, Any]:
    data = {"data": base64.b64encode(json.dumps(card).encode()).decode()} if card else {}
    return frame({"method": 1, "headers": {}, "payload": {"code": 200, **data, **more}}, inward=False)


def test_events_of_feishu_of_every_kind_and_their_acknowledgements():
    welcome, toast = "im.chat.member.bot.added_v1", {"toast": {"type": "info", "content": "Noted."}}
    check(
        "feishu",
        [_event(welcome, {"chat_id": "oc_1", "name": "team"}), _replied(), _replied(toast)],
        [
            (_event(welcome, {"odd": 1}), f"{welcome}.odd is not declared"),
            (_event("im.message.recalled_v1", {"chat_id": 5}), "chat_id is 5"),
            (_event("no.such_v1", {}), "event no.such_v1 is not declared"),
            (_event(welcome, {}, forged=1), f"header of {welcome}.forged"),
            (_replied(code="200"), "code is '200'"),
            (_replied(bogus=1), "acknowledgement.bogus is not declared"),
            (_replied({"toast": {"other": 1}}), "toast.other is not declared"),
        ],
    )


def test_presses_and_commands_that_are_posted():
    def posted(**form: str) -> dict[str, Any]:
        return {"kind": "post", "path": "/hook", "data": form}

    press = {"type": "block_actions", "trigger_id": "1"}
    check(
        "slack",
        [posted(payload=json.dumps(press)), posted(command="/parley", text="help")],
        [
            (posted(payload=json.dumps(press | {"bogus": 1})), "block_actions: bogus is not declared"),
            (posted(payload=json.dumps(press | {"type": "no_such_kind"})), "no_such_kind"),
        ],
    )
