"""Plays rows through Parley's own agent client, many at once, and compares what came with the table."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import RunIdentity, User
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import AgentUnavailable
from parley.core.model.questions import AnswerKind, InterruptAnswer, Question, ResumeInput
from parley.core.model.types import (
    RunEnded,
    RunProgress,
    RunRef,
    RunRequest,
    RunStarted,
    SessionSettings,
    Step,
)
from tests.agents.graphs.models import SEEN
from tests.agents.rows import Row, Turn
from tests.agents.servers import AgentServer
from tests.kit.machine import patience

_AT_ONCE = 10
_TRIES = 2
_LONGEST = patience(40.0)
ADA = User("web", "ada", "Ada")
_IDENTITY = RunIdentity("web:ada", "web:ada", "web", "web", "desk", "desk:1", "Ada")


@dataclass
class Heard:
    """All that was seen of one turn."""

    ended: RunEnded = field(default_factory=lambda: RunEnded(outcome=None))  # type: ignore[arg-type]
    texts: list[str] = field(default_factory=list)
    steps: dict[str, str] = field(default_factory=dict)


@asynccontextmanager
async def connected(server: AgentServer, folder: Path) -> AsyncIterator[LangGraphAgent]:
    """Yield Parley's agent client for a server."""
    async with LangGraphAgent(AgentEndpoint(server.url, server.key), files=folder) as agent:
        yield agent


async def play_all(
    server: AgentServer, rows: Sequence[Row], folder: Path
) -> dict[str, list[Heard] | BaseException]:
    """Return what was heard of each row, by its name; an error where a row could not be played."""
    turnstile = asyncio.Semaphore(_AT_ONCE)
    async with connected(server, folder) as agent:

        async def one(row: Row) -> list[Heard]:
            async with turnstile, asyncio.timeout(_LONGEST):
                return await _play(agent, row, server, folder)

        heard = await asyncio.gather(*map(one, rows), return_exceptions=True)
    return {row.name: each for row, each in zip(rows, heard, strict=True)}


async def _play(agent: LangGraphAgent, row: Row, server: AgentServer, folder: Path) -> list[Heard]:
    thread, heard = str(uuid4()), list[Heard]()
    seen = server.folder / SEEN / thread
    for turn in row.expected(server.kind):
        asked = heard[-1].ended.questions if heard and turn.answers else ()
        request = RunRequest(
            turn_id=uuid4().hex,
            message_id=str(uuid4()),
            thread=thread,
            text="" if asked else turn.say,
            person=ADA,
            identity=_IDENTITY,
            name=ADA.name,
            session=SessionSettings(row.graph.partition(".")[2], **row.session),
            files=tuple(_stored(folder / thread, name, data) for name, data in turn.given.items()),
            memory=turn.memory,
            answer=_decided(asked, turn) if asked else None,
        )
        heard.append(await _hear_through(agent, request, seen, stop=turn.stop))
    return heard


async def _hear_through(agent: LangGraphAgent, request: RunRequest, seen: Path, *, stop: bool) -> Heard:
    """Try again where a connection broke, as Parley does."""
    for _ in range(_TRIES):
        try:
            return await _hear(agent, request, seen, stop=stop)
        except AgentUnavailable:
            request = replace(request, maybe_made=True)
    return await _hear(agent, request, seen, stop=stop)


async def _hear(agent: LangGraphAgent, request: RunRequest, seen: Path, *, stop: bool) -> Heard:
    """Hear a run, and make the file `seen` once there is something of its text."""
    heard, run = Heard(), RunRef(request.thread, "")
    async for event in agent.run(request):
        if isinstance(event, RunStarted):
            run = event.run
        elif isinstance(event, RunProgress):
            heard.texts.append(event.text)
            heard.steps.update((step.id, _shown(step)) for step in event.steps)
            if event.text:
                await asyncio.to_thread(seen.touch)
            if stop and event.text:
                await agent.cancel(run, request.turn_id)
                stop = False
        else:
            heard.ended = event
            heard.steps.update((step.id, _shown(step)) for step in event.steps)
    return heard


def _shown(step: Step) -> str:
    """Return a step's title, and what its agent says of it."""
    said = (step.title, step.details, step.output, *(source.url for source in step.sources))
    return " · ".join(filter(None, said))


def _decided(asked: Sequence[Question], turn: Turn) -> ResumeInput:
    given = []
    for question in asked:
        text = turn.answers[question.prompt or question.action]
        offered = {option.label: option.id for option in question.options}
        kind = AnswerKind.OPTION if text in offered else AnswerKind.WORDS
        given.append(InterruptAnswer(question.id, offered.get(text, text), kind))
    return ResumeInput(tuple(given))


def _stored(folder: Path, name: str, data: bytes) -> StoredFile:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(data)
    mime = mimetypes.guess_type(name)[0] or ""
    kind = AttachmentKind.IMAGE if mime.startswith("image/") else AttachmentKind.FILE
    return StoredFile(kind, name, mime, len(data), str(path))


def differences(turn: Turn, heard: Heard) -> Iterator[str]:
    """Yield what is not as a turn expects it."""
    ended = heard.ended
    if ended.outcome is not turn.outcome:
        yield f"the outcome is {ended.outcome}, not {turn.outcome}: {ended.error or ended.text[:200]}"
    if not _fits(ended.text, turn.text):
        yield f"the text is {ended.text[:400]!r}, not {turn.text[:400]!r}"
    if turn.grows and not any(text and text != ended.text for text in heard.texts):
        yield f"nothing of it was seen before the end: {heard.texts}"
    for word in turn.never:
        if any(word in text for text in (*heard.texts, ended.text)):
            yield f"{word!r} was shown"
    yield from _other_differences(turn, heard)


def _other_differences(turn: Turn, heard: Heard) -> Iterator[str]:
    ended = heard.ended
    if turn.steps is not None and (shown := tuple(heard.steps.values())) != turn.steps:
        yield f"the steps are {shown}, not {turn.steps}"
    files = {file.name: Path(file.path).read_bytes() for file in ended.files}
    if files != dict(turn.files):
        yield f"the files are {files}, not {turn.files}"
    questions = tuple(sorted(map(_told, ended.questions)))
    if questions != tuple(sorted(turn.questions)):
        yield f"the questions are {questions}, not {turn.questions}"
    if turn.error not in ended.error:
        yield f"the error is {ended.error!r}, not {turn.error!r}"


def _fits(text: str, expected: str) -> bool:
    if expected.endswith("..."):
        return text.startswith(expected.removesuffix("..."))
    return text == expected


def _told(question: Question) -> str:
    labels = "|".join(option.label for option in question.options)
    return f"{question.prompt or question.action} [{labels}]" if labels else question.prompt
