"""One Parley process on all four platforms: whichever of them refuses its credentials, the others go on."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.plugin import ParleyFactory, RunningParley, SimulatorFactory
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.machine import patience

pytestmark = [pytest.mark.soak, pytest.mark.timeout(180)]
_SEEN = patience(5.0)
"""Seconds within which a refusal must be shown."""
_PATIENCE = patience(20.0)
_LOOK = 0.1
_OFTEN = 10**6


@dataclass(frozen=True)
class Line:
    """One platform: its section of the configuration, a person's words and answers, and how it refuses."""

    section: dict[str, object]
    say: Callable[[], object]
    answers: Callable[[], Sequence[str]]
    refuse: Callable[[], None]


def _slack(sim: SlackSimulator) -> Line:
    ann = sim.people.add_person("Ann")

    def refuse() -> None:
        sim.faults.fail_next("", "invalid_auth", times=_OFTEN)
        sim.drop_connections()

    return Line(
        {"bot_token": sim.bot_token, "app_token": sim.app_token, "api_url": sim.api_url},
        lambda: sim.people.say(ann.dm, ann.id, "hello"),
        lambda: sim.people.answers(ann.dm),
        refuse,
    )


def _telegram(sim: TelegramSimulator) -> Line:
    ann = sim.people.add_person("Ann").id

    def refuse() -> None:
        for method in ("", "getUpdates"):
            sim.faults.fail_next(method, 401, "Unauthorized", times=_OFTEN)
        sim.drop_poll()

    return Line(
        {"bot_token": sim.token, "api_url": sim.api_url, "allowed_users": ["*"]},
        lambda: sim.people.say(ann, ann, "hello"),
        lambda: sim.people.answers(ann),
        refuse,
    )


def _feishu(sim: FeishuSimulator) -> Line:
    ann = sim.people.add_person("Ann")

    def refuse() -> None:
        sim.faults.refuse_next(["token", "endpoint"], 10014, "app secret invalid", 200, times=_OFTEN)
        sim.drop_connections()

    return Line(
        {"app_id": sim.world.app_id, "app_secret": sim.world.secret, "domain": sim.url},
        lambda: sim.people.say(ann.chat, ann.open_id, "hello"),
        lambda: sim.people.answers(ann.chat),
        refuse,
    )


def _dingtalk(sim: DingTalkSimulator) -> Line:
    ann = sim.people.add_person("Ann").id
    app = {"client_id": sim.client_id, "client_secret": sim.client_secret, "allowed_users": ["*"]}
    return Line(
        {**app, "api_url": sim.url, "oapi_url": sim.url},
        lambda: sim.people.say(ann, ann, "hello"),
        lambda: sim.people.answers(ann),
        sim.revoke,
    )


_LINES: dict[str, Callable[[Any], Line]] = {
    "slack": _slack,
    "telegram": _telegram,
    "feishu": _feishu,
    "dingtalk": _dingtalk,
}


def test_one_refused_credential_stops_one_channel(
    simulator_factory: SimulatorFactory, parley_factory: ParleyFactory
) -> None:
    lines = {name: make(simulator_factory(name)) for name, make in _LINES.items()}
    parley = parley_factory(channels={name: line.section for name, line in lines.items()})
    left = dict(lines)
    for name, line in lines.items():
        line.refuse()
        _until(_SEEN, partial(_is_refused, parley, name), f"{name} shown as refused")
        del left[name]
        for other, still in left.items():
            assert _health(parley)[other] == "up"
            before = len(still.answers())
            still.say()
            _until(_PATIENCE, partial(_has_more, still, before), f"an answer of {other}")


def _is_refused(parley: RunningParley, name: str) -> bool:
    return _health(parley)[name] == "refused"


def _has_more(line: Line, answers: int) -> bool:
    return len(line.answers()) > answers


def _health(parley: RunningParley) -> dict[str, str]:
    headers = {"authorization": f"Bearer {parley.token}"}
    request = urllib.request.Request(f"{parley.url}/api/health", headers=headers)
    with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
        return {part["name"]: part["health"] for part in json.load(answer)["parts"]}


def _until(patience: float, true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(_LOOK)
