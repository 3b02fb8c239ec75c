"""What the whole contract suite says over each platform's wire, against schemas that others wrote.

`make vendors` collects it first (tests/kit/wire_shapes.py): each shape of a request, answer and event once.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.kit.wire_shapes import read_shapes
from tests.vendors.schemas.dingtalk_frames import wrong_dingtalk_frames
from tests.vendors.schemas.model_types import (
    dingtalk_envelope,
    dingtalk_models,
    feishu_envelope,
    feishu_models,
    wrong_calls,
    wrong_feishu_events,
    wrong_refusals,
)
from tests.vendors.schemas.typescript import wrong_values
from tests.vendors.schemas.wire_names import missing_and_unknown
from tests.vendors.schemas.wire_types import SLACK_IMPORTS, TELEGRAM_IMPORTS, slack_values, telegram_values

pytestmark = [pytest.mark.vendors, pytest.mark.timeout(300)]

WIRE = Path(os.environ.get("PARLEY_WIRE", ".pytest_cache/wire"))
_FEWEST = {"slack": 120, "telegram": 120, "feishu": 60, "dingtalk": 50}
"""Fewer shapes than these are not those of the whole suite."""
UNDECLARED = frozenset(
    {
        # Slack sends these of what an app posted; its types of these events and answers leave them out.
        "event message: app_id is not declared",
        "event app_mention: app_id is not declared",
        "event file_share: team is not declared",
        # Of a voice clip ("slack_audio"): Slack's types of files leave it out.
        "event file_share: subtype is not declared",
        "answer to chat.update: ts is not declared",
        "answer to conversations.replies: subtype is not declared",
        "answer to conversations.history: subtype is not declared",
        # Of a pressed button, as recordings of other projects have it; the types of presses leave it out.
        "block_actions: style is not declared",
        # Of who sends a form: declared for who presses a button.
        "view_submission: username is not declared",
        # In Feishu's documents of the answer, not yet in its models.
        "answer to GET /open-apis/im/v1/messages.items[].mentions[].mentioned_type is not declared",
        "answer to GET /open-apis/im/v1/messages/ID.items[].mentions[].mentioned_type is not declared",
        # DingTalk's own clients send it; its models of the call leave it out.
        "POST /v1.0/gateway/connections/open.ua is not declared",
    }
)
Records = Sequence[dict[str, Any]]


def slack(records: Records) -> list[str]:
    """Return what is wrong with Slack's."""
    return wrong_values("slack", SLACK_IMPORTS, list(slack_values(records)))


def telegram(records: Records) -> list[str]:
    """Return what is wrong with Telegram's."""
    return wrong_values("telegram", TELEGRAM_IMPORTS, list(telegram_values(records)))


def feishu(records: Records) -> list[str]:
    """Return what is wrong with Feishu's."""
    models, envelope = feishu_models(), feishu_envelope()
    return [
        *wrong_calls(models, records),
        *wrong_refusals(envelope, ("code", "msg"), records),
        *wrong_feishu_events(models, envelope, records),
    ]


def dingtalk(records: Records) -> list[str]:
    """Return what is wrong with DingTalk's."""
    models = dingtalk_models()
    return [
        *wrong_calls(models, records),
        *wrong_refusals(dingtalk_envelope(), ("code", "message", "requestid"), records),
        *wrong_dingtalk_frames(models[0], records),
    ]


CHECKS: dict[str, Callable[[Records], list[str]]] = {
    "slack": slack,
    "telegram": telegram,
    "feishu": feishu,
    "dingtalk": dingtalk,
}


def shapes(platform: str) -> Records:
    """Return what was collected. Raises AssertionError where it was not."""
    found = read_shapes(WIRE, platform)
    assert found, f"nothing in {WIRE}: run make vendors, or the contract suite with --wire {WIRE}"
    return found


@pytest.mark.parametrize("platform", CHECKS)
def test_the_whole_contract_is_as_others_declare_it(platform):
    found = shapes(platform)
    assert len(found) >= _FEWEST[platform]
    assert set(CHECKS[platform](found)) - UNDECLARED == set()


@pytest.mark.parametrize("platform", CHECKS)
def test_everything_that_must_be_heard_was_heard(platform):
    assert missing_and_unknown(platform, shapes(platform)) == ([], [])


@pytest.mark.parametrize("platform", CHECKS)
def test_a_call_that_never_occurs_and_one_that_is_not_written_down_are_seen(platform):
    found = shapes(platform)
    mute = [each for each in found if not str(each.get("path", "")).endswith(_SHOWS[platform])]
    missing, unknown = missing_and_unknown(platform, mute)
    assert [name for name in missing if name.endswith(_SHOWS[platform])]
    assert unknown == []
    odd = _first(found, _SHOWS[platform])
    odd["path"] += "Anew"
    assert missing_and_unknown(platform, [*found, odd])[1] != []


def _first(records: Records, path: str) -> dict[str, Any]:
    """Return a copy of a call with JSON or a form."""
    return copy.deepcopy(
        next(each for each in records if str(each.get("path", "")).endswith(path) and each.get("body"))
    )


_SHOWS = {
    "slack": "chat.postMessage",
    "telegram": "sendMessage",
    "feishu": "/im/v1/messages",
    "dingtalk": "createAndDeliver",
}
_TYPED = {
    "slack": "channel",
    "telegram": "reply_parameters",
    "feishu": "receive_id",
    "dingtalk": "cardTemplateId",
}


@pytest.mark.parametrize("platform", CHECKS)
def test_seeded_faults_are_seen(platform):
    call = _first(shapes(platform), _SHOWS[platform])
    more, other, renamed = (copy.deepcopy(call) for _ in range(3))
    more["body"]["bogus"] = "x"
    other["body"][_TYPED[platform]] = ["no", "such", "type"]
    renamed["path"] = renamed["path"].replace(_SHOWS[platform].rsplit("/", 1)[-1], "noSuchMethod")
    found = " ".join(set(CHECKS[platform]([more, other, renamed])) - UNDECLARED)
    assert "bogus is not declared" in found
    assert "noSuchMethod" in found
    assert any(words in found for words in ("'no', 'such', 'type'", "Type 'string[]'")), found


def test_a_seeded_fault_in_an_event_is_seen():
    event = {
        "type": "app_mention",
        "channel": "C1",
        "user": "U1",
        "text": "x",
        "ts": "1.2",
        "event_ts": "1.2",
    }

    def frame(**more: object) -> dict[str, Any]:
        data = {"payload": {"event": event | more}}
        return {"kind": "frame", "inward": True, "data": data}

    assert slack([frame()]) == []
    assert slack([frame(bogus=1, text=2)])
