"""The agent server's part: scripts that a promise directs, and that outlive Parley's processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from parley.core.model.attachments import StoredFile
from parley.core.model.questions import Question
from parley.core.model.types import (
    Outcome,
    RunEnded,
    RunEvent,
    RunProgress,
    RunRef,
    RunRequest,
    RunStarted,
    Step,
    StepSource,
    StepStatus,
)
from tests.kit.doubles.core import Script, ScriptedAgent, echo


class ContractAgent(ScriptedAgent):
    """The double of the core's own tests, ringing when it is asked or cancelled."""

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(echo)
        self._news = news

    async def run(self, request: RunRequest) -> AsyncIterator[RunEvent]:
        self._news()
        async for event in super().run(request):
            yield event

    async def cancel(self, run: RunRef, turn: str = "") -> None:
        await super().cancel(run, turn)
        self._news()

    @property
    def texts(self) -> list[str]:
        """What the agent was asked, in order."""
        return [request.text for request in self.requests]

    @property
    def given(self) -> list[tuple[str, ...]]:
        """What people answered to its questions, once for each run that went on."""
        answers = [request.answer for request in self.requests if request.answer is not None]
        return [tuple(each.text for each in answer.given) for answer in answers]


def answering(text: str, files: Sequence[StoredFile] = (), outcome: Outcome = Outcome.ANSWERED) -> Script:
    """Answers everything with this, at once."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        yield RunEnded(outcome, text, files=tuple(files))

    return script


def asking(*questions: Question) -> Script:
    """Asks these questions of whoever says something that begins with "ask", and then says what it was given.

    Everything else is echoed.
    """

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        if request.answer is not None:
            given = ", ".join(f"{each.question} {each.text}" for each in request.answer.given)
            yield RunEnded(Outcome.ANSWERED, f"I was given: {given}")
        elif request.text.startswith("ask"):
            yield RunEnded(Outcome.ASKED, "I have a plan.", questions=questions)
        else:
            yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")

    return script


def suggesting(text: str, *suggestions: str) -> Script:
    """Echoes everything, and suggests these under its answer to `text`."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        offered = suggestions if request.text == text else ()
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}", suggestions=offered)

    return script


def hurrying(words: Sequence[str]) -> Script:
    """Says one word after the other as fast as it can."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        for number in range(1, len(words)):
            yield RunProgress(" ".join(words[:number]), ())
            await asyncio.sleep(0)
        yield RunEnded(Outcome.ANSWERED, " ".join(words))

    return script


def taking_time(words: Sequence[str]) -> Script:
    """Says one word after the other, with as much time between them as a model takes."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        for number in range(1, len(words)):
            yield RunProgress(" ".join(words[:number]), ())
            await asyncio.sleep(0.02)
        yield RunEnded(Outcome.ANSWERED, " ".join(words))

    return script


def stepping(title: str, text: str) -> Script:
    """Does something that is shown as a step, and then answers."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        yield RunProgress("", (Step("1", title, StepStatus.RUNNING),))
        # Long enough for a snapshot to be shown, which nothing depends on.
        await asyncio.sleep(0.2)
        sources = (StepSource("https://example.org", "Example"),)
        done = (Step("1", title, StepStatus.DONE, "what it looks for", "what it found", sources),)
        yield RunProgress(text[:5], done)
        await asyncio.sleep(0.2)
        yield RunEnded(Outcome.ANSWERED, text, done)

    return script


async def silent(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    """Takes the request and never says a word."""
    await asyncio.Event().wait()
    yield RunEnded(Outcome.EMPTY)


class Told:
    """Says what the promise tells it to say, when it is told; whoever joins later hears it too."""

    def __init__(self) -> None:
        self._text = ""
        self._ended: RunEnded | None = None
        self._changed = asyncio.Event()

    def says(self, text: str) -> None:
        """The whole text so far."""
        self._text = text
        self._wake()

    def ends(self, text: str, outcome: Outcome = Outcome.ANSWERED) -> None:
        """The final text."""
        self._ended = RunEnded(outcome, text)
        self._wake()

    async def __call__(self, agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(_run(request))
        told = ""
        while self._ended is None:
            changed = self._changed
            if self._text != told:
                told = self._text
                yield RunProgress(told, ())
            else:
                await changed.wait()
        yield self._ended

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def by_text(scripts: Mapping[str, Script]) -> Script:
    """Another script for each question."""

    async def script(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        async for event in scripts.get(request.text, echo)(agent, request):
            yield event

    return script


def _run(request: RunRequest) -> RunRef:
    return RunRef(request.thread, f"run of {request.turn_id}")
