"""What the operator finds in the log: the reason behind an apology's reference, and one line a turn."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from parley.core.model.errors import (
    AgentRefused,
    AgentTimeout,
    AgentUnavailable,
    AgentUnreadable,
    DeliveryRejected,
    FailureCause,
)
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.texts import CATALOGUE, Sentence
from tests.kit.doubles.core import NO_EVENTS, Script, ScriptedAgent, core, default_options, work
from tests.kit.waiting import until

CAUSE = "HTTP 422 unsupported_run_option"
REFERENCE = re.compile(r"`([0-9a-f]{8})`")


async def refuses(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    for event in NO_EVENTS:
        yield event
    raise AgentRefused("The agent server refused the request.", CAUSE)


async def fails(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    yield RunStarted(RunRef(request.thread, "run-1"))
    yield RunEnded(Outcome.FAILED, "so far", error=CAUSE)


async def runs_out_of_steps(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    yield RunStarted(RunRef(request.thread, "run-1"))
    yield RunEnded(Outcome.FAILED, error=CAUSE, cause=FailureCause.STEPS)


async def breaks(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    for event in NO_EVENTS:
        yield event
    raise ZeroDivisionError(CAUSE)


async def sends_too_much(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    for event in NO_EVENTS:
        yield event
    raise AgentUnreadable("an event of the agent server has more than 100 bytes", CAUSE)


async def stays_away(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    for event in NO_EVENTS:
        yield event
    raise AgentUnavailable("The agent cannot be reached right now.", CAUSE)


async def is_silent(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    for event in NO_EVENTS:
        yield event
    raise AgentTimeout("The agent did not answer in time.", CAUSE)


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parley.core")


def alarms(caplog: pytest.LogCaptureFixture, words: str) -> list[str]:
    """The lines that a search for these words finds among warnings and errors."""
    lines = [each for each in caplog.records if each.levelno >= logging.WARNING]
    return [each.getMessage() for each in lines if words in each.getMessage()]


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines of turns that are over."""
    return [each.getMessage() for each in caplog.records if each.name == "parley.core.turns.turn_timing"]


def test_these_are_all_the_apologies_with_a_reference() -> None:
    texts = CATALOGUE["en"]
    assert {each for each in Sentence if "{reference}" in texts[each]} == {
        Sentence.AGENT_REFUSED,
        Sentence.AGENT_SILENT,
        Sentence.ANSWER_FAILED,
        Sentence.ANSWER_UNREADABLE,
        Sentence.FAILED_BLOCKED,
        Sentence.FAILED_KEY,
        Sentence.FAILED_LENGTH,
        Sentence.FAILED_RATE,
        Sentence.FAILED_STEPS,
        Sentence.INTERNAL_ERROR,
    }


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (refuses, Sentence.AGENT_REFUSED),
        (sends_too_much, Sentence.ANSWER_UNREADABLE),
        (fails, Sentence.ANSWER_FAILED),
        (runs_out_of_steps, Sentence.FAILED_STEPS),
        (breaks, Sentence.INTERNAL_ERROR),
    ],
)
async def test_a_reference_is_on_the_one_line_that_has_the_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, script: Script, sentence: Sentence
) -> None:
    async with core(tmp_path, agent=ScriptedAgent(script)) as parley:
        await parley.say("hello")
        (text,) = await parley.channel.until_finals(1)
        await until(lambda: told(caplog), "the turn is over")
    found = REFERENCE.search(text)
    assert found is not None, text
    assert CATALOGUE["en"][sentence].format(reference=found[1]) in text
    (line,) = alarms(caplog, found[1])
    assert CAUSE in line


async def test_a_turn_that_ended_its_process_each_time_says_that_no_error_is_known(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with core(tmp_path, agent=ScriptedAgent(breaks), working=False) as parley:
        await parley.say("hello")
        for _ in range(3):  # as of processes that die in the midst of it
            (claim,) = await parley.journal.claim("turns/test", 1)
            await parley.journal.retry(claim, 0.0)
        work(parley, time.time)
        (text,) = await parley.channel.until_finals(1)
    found = REFERENCE.search(text)
    assert found is not None, text
    (line,) = alarms(caplog, found[1])
    assert "the process that worked it ended" in line


@pytest.mark.parametrize(
    ("script", "sentence"), [(stays_away, Sentence.AGENT_AWAY), (is_silent, Sentence.AGENT_SILENT)]
)
async def test_an_agent_server_that_stays_away_is_one_error_with_what_it_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, script: Script, sentence: Sentence
) -> None:
    options = default_options(notify_after=0.0, give_up_after=0.0)
    async with core(tmp_path, agent=ScriptedAgent(script), options=options) as parley:
        await parley.say("hello")
        (text,) = await parley.channel.until_finals(1)
    assert text.startswith(CATALOGUE["en"][sentence].partition("(")[0])
    (line,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert CAUSE in line.getMessage()


async def test_a_turn_is_one_line_without_a_word_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with core(tmp_path) as parley:
        await parley.say("a secret word")
        await parley.channel.until_finals(1)
        await until(lambda: told(caplog), "the turn is over")
        turn = parley.agent.requests[0].turn_id
    (line,) = told(caplog)
    seconds = r"\d+\.\d\d s"
    assert re.fullmatch(
        rf"test:chat: turn {turn} of test:ann on test: delivered \(answered\); "
        rf"waited {seconds}, run {seconds}, delivery {seconds}, first text after {seconds}, in all {seconds}",
        line,
    ), line
    assert "secret" not in caplog.text


async def test_how_long_it_waited_is_counted_from_its_acceptance(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    began = time.time()
    async with core(tmp_path, working=False, clock=lambda: began) as parley:
        await parley.say("hello")
        work(parley, lambda: began + 75.5)
        await parley.channel.until_finals(1)
        await until(lambda: told(caplog), "the turn is over")
    assert "; waited 75.50 s, run " in told(caplog)[0]


async def test_an_answer_that_the_platform_refuses_is_said_to_be_undelivered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with core(tmp_path) as parley:
        parley.channel.finish_errors.append(DeliveryRejected("bot was blocked"))
        await parley.say("hello")
        await until(lambda: told(caplog), "the turn is over")
    assert "not delivered, the platform refused it (answered); waited" in told(caplog)[0]
