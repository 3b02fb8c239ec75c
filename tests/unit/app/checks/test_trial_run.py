"""`parley check --run` makes a real run, says what came back, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from parley.app.checks.trial_run import try_run
from parley.core.model.errors import AgentError, AgentRefused
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from tests.kit.settings_reading import settings

TEXT = 'agent: {url: "http://agent", assistant: helper}\nsession: {context: {model_name: deep}}\n'


@dataclass
class Agent:
    """Ends its runs like this; None never ends them."""

    ended: RunEnded | AgentError | None
    asked: list[RunRequest] = field(default_factory=list)
    cancelled: list[RunRef] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    async def run(self, request: RunRequest) -> AsyncIterator[RunEvent]:
        self.asked.append(request)
        yield RunStarted(RunRef(request.thread, "run-1"))
        if self.ended is None:
            raise TimeoutError
        if isinstance(self.ended, AgentError):
            raise self.ended
        yield self.ended

    async def cancel(self, run: RunRef, turn: str = "") -> None:
        self.cancelled.append(run)

    async def forget(self, thread: str) -> bool:
        self.forgotten.append(thread)
        return True


async def test_an_answer_is_one_line_and_the_thread_is_deleted() -> None:
    agent = Agent(RunEnded(Outcome.ANSWERED, "Hello!\n\x1b[31mHow are you? " + "x" * 10_000))
    found = await try_run(settings(TEXT), agent)
    (line,) = found.known
    assert line.startswith('A run of "helper" answered after ')
    assert "Hello! " in line
    assert "\x1b" not in line
    assert len(line) < 200
    assert (found.mistakes, found.remarks) == ((), ())
    (request,) = agent.asked
    assert agent.forgotten == [request.thread]
    assert (request.session.assistant, request.session.context) == ("helper", {"model_name": "deep"})


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (RunEnded(Outcome.FAILED, error="KeyError: 'topic'"), "failed after"),
        (RunEnded(Outcome.EMPTY), "ended without saying anything after"),
        (AgentRefused("The agent server refused the request.", "HTTP 422 no such thing"), "HTTP 422"),
        (None, "made no end within 120 seconds"),
    ],
)
async def test_anything_else_is_a_mistake(ended: RunEnded | AgentError | None, words: str) -> None:
    agent = Agent(ended)
    found = await try_run(settings(TEXT), agent)
    (line,) = [mistake.show("config.yaml") for mistake in found.mistakes]
    assert line.startswith('config.yaml:1: agent.assistant: a run of "helper" ')
    assert words in line
    assert len(agent.forgotten) == 1
    assert len(agent.cancelled) == (ended is None)
