"""An agent with LangChain's human-in-the-loop middleware, answered on every platform, through a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.deciders import Decider, OnDingTalk, OnDingTalkInWords, OnFeishu, OnSlack, OnTelegram
from tests.kit.product.process import Process, parley
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

MAIL = "Send an e-mail to ada@example.org about lunch"
APPROVE = "Approve send_email"
_PLATFORMS: dict[str, tuple[type[AbstractContextManager[Any]], type[Any]]] = {
    "telegram": (TelegramSimulator, OnTelegram),
    "slack": (SlackSimulator, OnSlack),
    "feishu": (FeishuSimulator, OnFeishu),
    "dingtalk": (DingTalkSimulator, OnDingTalk),
    "dingtalk in words": (DingTalkSimulator, OnDingTalkInWords),
}


@pytest.fixture(params=list(_PLATFORMS))
def decider(request: pytest.FixtureRequest) -> Iterator[Decider]:
    simulator, person = _PLATFORMS[request.param]
    with simulator() as platform:
        yield person(platform)


@pytest.fixture
def running(decider: Decider, tmp_path: Path) -> Iterator[Process]:
    process = begin(tmp_path, {"channels": {decider.name: decider.section()}})
    try:
        process.wait_until_up()
        yield process
    finally:
        end(process)


def asked(decider: Decider, after: int) -> tuple[str, int]:
    """The question that is open: its message, and how many came before it."""
    question = decider.sees("run send_email", after) if decider.buttons else decider.sees("send_email", after)
    assert (APPROVE in question[2]) == decider.buttons
    return question[0], len(decider.seen())


def test_it_is_approved_and_rejected_and_says_so(decider: Decider, running: Process):
    decider.say(MAIL)
    message, count = asked(decider, 0)
    decider.choose(message, APPROVE, 1)
    decider.sees("nothing was sent", count)
    if decider.buttons:
        decider.wait(lambda: any("Ada: Approve" in text for _, text, _ in decider.seen()))
        assert all(APPROVE not in buttons for _, _, buttons in decider.seen())
    before = len(decider.seen())
    decider.say(MAIL)
    message, count = asked(decider, before)
    decider.choose(message, "Refuse", 2)
    decider.sees("All right, nothing was sent", count)


def test_a_crash_between_question_press_and_answer_loses_and_doubles_nothing(
    decider: Decider, running: Process
):
    decider.say(MAIL)
    message, count = asked(decider, 0)
    running.kill()
    running.spawn()
    running.wait_until_up()
    decider.choose(message, APPROVE, 1)
    if decider.buttons:
        # Once whoever pressed was told so, the press is kept. (Some platforms never send one again.)
        decider.wait(decider.told)
        running.kill()
        running.spawn()
        running.wait_until_up()
    decider.sees("nothing was sent", count)
    lines = parley(running.folder, "audit", "--json").stdout.splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds.count("asked") == kinds.count("decided") == 1
    assert sum("nothing was sent" in text for _, text, _ in decider.seen()[count:]) == 1


def test_arguments_are_changed_on_the_page(tmp_path: Path):
    process = begin(tmp_path, {})
    try:
        process.wait_until_up()
        web = WebPerson(process.url)
        question = web.ask(MAIL).final["question"]
        assert json.loads(question["arguments"])["to"] == "ada@example.org"
        assert "JSON object" in web.decide(question["id"], "edit", "{broken")
        assert web.decide(question["id"], "edit", '{"to": "bob@example.org"}')
        done = web.until(lambda text: "bob@example.org had" in text or "to bob@example.org" in text)
        assert "nothing was sent" in done
        assert "no longer open" in web.decide("unknown-1", "approve")
        web.close()
    finally:
        end(process)
