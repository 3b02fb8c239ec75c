"""Every shape of interrupt, decided in every way, from every chat: over real sockets, one process for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.deciders import Decider, OnDingTalk, OnFeishu, OnSlack, OnTelegram, OnWeb
from tests.kit.product.process import Process
from tests.kit.product.scene import SLACK_TIMING, begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

GRAPH = Path(__file__).parent / "asking_graph.py"
Newcomers = Callable[[], list[Decider]]
"""Somebody new in each chat, alone with the bot."""
Decide = Callable[[Decider, str], None]


@dataclass(frozen=True)
class Way:
    """How a question is decided: `tool` asks it, `gives` is what the agent is given, `shows` what its message
    says then."""

    tool: str
    decide: Decide
    gives: str
    shows: str


def choosing(label: str, number: int) -> Decide:
    return lambda decider, message: decider.choose(message, label, number)


def changing(arguments: str) -> Decide:
    return lambda decider, message: decider.change(message, arguments)


def saying(words: str) -> Decide:
    return lambda decider, message: decider.say(words)


WAYS = {
    "middleware approved": Way(
        "send_email", choosing("Approve send_email", 1), "to ada@example.org", "Ada: Approve send_email"
    ),
    "middleware edited": Way(
        "send_email",
        changing('{"to": "bob@example.org"}'),
        "lunch to bob@example.org",
        "Ada: other arguments",
    ),
    "middleware rejected": Way("send_email", choosing("Refuse", 2), "rejected", "Ada: Refuse"),
    "middleware answered": Way(
        "send_email", saying("ask Carol first"), "ask Carol first", "“ask Carol first”"
    ),
    "inbox accepted": Way(
        "delete_file", choosing("Approve delete_file", 1), '"type": "accept"', "Ada: Approve delete_file"
    ),
    "inbox edited": Way(
        "delete_file", changing('{"path": "/tmp/new"}'), '"path": "/tmp/new"', "Ada: other arguments"
    ),
    "inbox ignored": Way("delete_file", choosing("Refuse", 2), '"type": "ignore"', "Ada: Refuse"),
    "inbox answered": Way("delete_file", saying("not today"), '"args": "not today"', "“not today”"),
    "words answered": Way("ask_name", saying("Analytical Engine"), "the name Analytical Engine", "Engine”"),
    "options chosen": Way("pick_colour", choosing("blue", 2), "the colour blue", "Ada: blue"),
    "options answered": Way("pick_colour", saying("deep green"), "the colour deep green", "“deep green”"),
}
EXPIRED = {
    "send_email": "rejected",
    "delete_file": '"type": "ignore"',
    "ask_name": "the name No answer was given in time.",
    "pick_colour": "the colour No answer was given in time.",
}


def running(folder: Path, **questions: object) -> Iterator[Newcomers]:
    with ExitStack() as stack:
        open_ = stack.enter_context
        telegram, slack = open_(TelegramSimulator()), open_(SlackSimulator(timing=SLACK_TIMING))
        feishu, dingtalk = open_(FeishuSimulator()), open_(DingTalkSimulator())

        def newcomers(process: Process) -> list[Decider]:
            web = OnWeb(process.url)
            stack.callback(web.close)
            return [OnTelegram(telegram), OnSlack(slack), OnFeishu(feishu), OnDingTalk(dingtalk), web]

        sections = {each.name: each.section() for each in newcomers(Process(folder, {}, url="http://page"))}
        agent = {"graphs": {"agent": f"{GRAPH}:graph"}}
        process = begin(folder, {"agent": agent, "questions": questions, "channels": sections})
        stack.callback(end, process)
        process.wait_until_up()
        yield partial(newcomers, process)


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomers]:
    yield from running(tmp_path_factory.mktemp("patient"))


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomers]:
    """Where nobody is quick enough, and yet everybody sees what was asked."""
    yield from running(tmp_path_factory.mktemp("hasty"), expires_after=5)


def settled(decider: Decider, message: str, words: str) -> None:
    """Wait until a question's message says this, and has no buttons."""
    decider.wait(lambda: any(m == message and words in t and not b for m, t, b in decider.seen()))


def question_of(decider: Decider, tool: str) -> str:
    """The message in which a tool's question stands; what the agent said before it comes first."""
    decider.sees(f"I will use {tool}.")
    decider.wait(lambda: len(decider.seen()) > 1)
    return decider.seen()[1][0]


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_a_person_decides(way: Way, patient: Newcomers) -> None:
    people = patient()
    for decider in people:
        decider.say(way.tool)
    questions = [question_of(decider, way.tool) for decider in people]
    for decider, message in zip(people, questions, strict=True):
        way.decide(decider, message)
    for decider, message in zip(people, questions, strict=True):
        decider.sees(way.gives, after=2)
        settled(decider, message, way.shows)


def test_time_decides(hasty: Newcomers) -> None:
    waiting = [(decider, tool) for tool in EXPIRED for decider in hasty()]
    for decider, tool in waiting:
        decider.say(tool)
    questions = [question_of(decider, tool) for decider, tool in waiting]
    for (decider, tool), message in zip(waiting, questions, strict=True):
        decider.sees(EXPIRED[tool], after=2)
        settled(decider, message, "Nobody decided in time")
