"""An agent server that sends without end, or nests without end, ends that run and nothing else."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import repeat
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler

from parley.agent.agent import LangGraphAgent
from parley.agent.hitl.decisions import build_resume_value
from parley.agent.hitl.interrupts import Interrupt
from parley.agent.stream.messages import decode_json_text
from parley.agent.transport.decoding import MOST_LEVELS, EventReader, UnreadableResponse, read_json, read_text
from parley.agent.transport.http_client import AgentEndpoint
from parley.agent.transport.model_list import fetch_models
from parley.core.model.errors import AgentUnavailable, AgentUnreadable
from parley.core.model.questions import InterruptAnswer
from parley.core.model.types import Json, Outcome, RunEnded, RunRequest
from parley.core.ports.health import Health
from tests.kit.doubles.langgraph_server import FakeServer, Script, serving
from tests.kit.machine import patience
from tests.kit.samples.langgraph_messages import ai, answer, human, request

LIMIT = 1_000_000
MUCH = 200 * LIMIT
"""More than any buffer between the two takes."""

EVENTS = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


class Flood(FakeServer):
    """Answers requests whose path ends with `at` with `pieces` after `headers`, until its client goes."""

    def __init__(self, at: str, headers: dict[str, str], pieces: Iterator[bytes], status: int = 200) -> None:
        super().__init__()
        self._flood = (at, headers, pieces, status)
        self.sent = 0
        self.left = asyncio.Event()

    def app(self) -> web.Application:
        app = super().app()
        app.middlewares.append(self._flooded)
        return app

    @web.middleware
    async def _flooded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        at, headers, pieces, status = self._flood
        if not request.path.endswith(at):
            return await handler(request)
        if at == "/runs/stream" and status == 200:
            headers = {**headers, "Content-Location": f"/threads/{request.match_info['t']}/runs/run-1"}
        response = web.StreamResponse(status=status, headers=headers)
        try:
            await response.prepare(request)
            for piece in pieces:
                await response.write(piece)
                self.sent += len(piece)
                if self.sent > MUCH:
                    break
        except (ConnectionError, asyncio.CancelledError):
            self.left.set()
            raise
        return response


class Garbled(FakeServer):
    """Sends `frame` only to whoever makes a run."""

    def __init__(self, frame: bytes) -> None:
        super().__init__()
        self._frame = frame

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        run = await self._new_run(request)
        response = web.StreamResponse(
            headers={**EVENTS, "Content-Location": f"/threads/{run.thread}/runs/{run.id}"}
        )
        await response.prepare(request)
        await response.write(self._frame)
        return response


@asynccontextmanager
async def flooded(flood: FakeServer, folder: Path) -> AsyncIterator[LangGraphAgent]:
    async with serving(flood):
        endpoint = AgentEndpoint(flood.url, "key", most_bytes=LIMIT)
        async with LangGraphAgent(endpoint, files=folder, rejoin_delay=0.001) as agent:
            yield agent


async def ended(agent: LangGraphAgent, asked: RunRequest) -> RunEnded:
    last = [event async for event in agent.run(asked)][-1]
    assert isinstance(last, RunEnded)
    return last


def line_without_end() -> Iterator[bytes]:
    yield b"event: messages\ndata: "
    yield from repeat(b"x" * 65_536)


def event_of_many_lines() -> Iterator[bytes]:
    yield b"event: messages\n"
    yield from repeat(b"data: " + b"x" * 60_000 + b"\n")


def compressed() -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    yield packer.compress(b"event: messages\ndata: x") + packer.flush(zlib.Z_SYNC_FLUSH)
    # After the same character the same bytes always mean as many more of it.
    yield from repeat(packer.compress(b"x" * 4_000_000) + packer.flush(zlib.Z_SYNC_FLUSH))


@pytest.mark.parametrize(
    ("pieces", "headers"),
    [
        (line_without_end, EVENTS),
        (event_of_many_lines, EVENTS),
        (compressed, {**EVENTS, "Content-Encoding": "gzip"}),
    ],
)
async def test_a_stream_without_end_is_an_error_of_the_run(
    pieces: Callable[[], Iterator[bytes]], headers: dict[str, str], tmp_path: Path
) -> None:
    flood = Flood("/runs/stream", headers, pieces())
    async with flooded(flood, tmp_path) as agent:
        with pytest.raises(AgentUnreadable, match="more than 1,000,000 bytes"):
            await ended(agent, request())
        async with asyncio.timeout(patience(20)):
            await flood.left.wait()
    assert flood.sent < MUCH


async def test_an_answer_without_end_is_an_error_of_the_run(tmp_path: Path) -> None:
    flood = Flood("/state", JSON, repeat(b" " * 65_536))
    flood.scripts = [Script([])]
    async with flooded(flood, tmp_path) as agent:
        with pytest.raises(AgentUnreadable, match="more than 1,000,000 bytes"):
            await ended(agent, request())
        async with asyncio.timeout(patience(20)):
            await flood.left.wait()


async def test_the_reason_of_an_error_may_be_without_end(tmp_path: Path) -> None:
    flood = Flood("/runs/stream", JSON, repeat(b"x" * 65_536), status=500)
    async with flooded(flood, tmp_path) as agent:
        with pytest.raises(AgentUnavailable):
            await ended(agent, request())
        async with asyncio.timeout(patience(20)):
            await flood.left.wait()


async def test_a_sign_of_life_without_end_is_told_as_one(tmp_path: Path) -> None:
    async with flooded(Flood("/ok", JSON, repeat(b"x" * 65_536)), tmp_path) as agent:
        report = await agent.health()
    assert report.health is Health.RETRYING
    assert "more than 10,000,000 bytes" in report.detail


async def test_a_list_of_models_nested_without_end_is_an_error(tmp_path: Path) -> None:
    deep = b'{"models": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    async with serving(Flood("/api/models", JSON, iter([deep]))) as server:
        with pytest.raises(AgentUnreadable):
            await fetch_models(server.url, AgentEndpoint(server.url))


DEEP = "[" * (MOST_LEVELS + 5) + "]" * (MOST_LEVELS + 5)
ENDLESS_NUMBER = "9" * 5_000


@pytest.mark.parametrize("data", [DEEP, "[" * 100_000, ENDLESS_NUMBER, f"[{ENDLESS_NUMBER}]"])
async def test_an_event_that_cannot_be_read_leaves_the_answer_to_the_state(data: str, tmp_path: Path) -> None:
    """The stream is lost by it; the run goes on to its end, and the thread has the answer."""
    frame = f"event: values\ndata: {data}\n\n".encode()
    garbled = Garbled(frame)
    garbled.scripts = [Script(answer("Hello"), state={"values": {"messages": [human(), ai("Hello")]}})]
    async with flooded(garbled, tmp_path) as agent:
        run = await ended(agent, request())
    assert (run.outcome, run.text) == (Outcome.ANSWERED, "Hello")


@pytest.mark.parametrize(
    "data", [f"[{DEEP}]", '{"values": ' + "[" * 100_000, f'{{"values": {ENDLESS_NUMBER}}}']
)
async def test_a_state_that_cannot_be_read_is_an_error_of_the_run(data: str, tmp_path: Path) -> None:
    flood = Flood("/state", JSON, iter([data.encode()]))
    flood.scripts = [Script([])]
    async with flooded(flood, tmp_path) as agent:
        with pytest.raises(AgentUnreadable, match="cannot be read as JSON"):
            await ended(agent, request())


@pytest.mark.parametrize("text", [DEEP, "[" * 100_000, ENDLESS_NUMBER])
def test_json_within_text_is_the_text_where_it_cannot_be_read(text: str) -> None:
    assert decode_json_text(text) == text
    with pytest.raises(ValueError, match=r"nested|digits"):
        read_text(text)


def test_an_edit_nested_without_end_is_no_edit() -> None:
    action: Json = {"name": "send", "args": {"to": "ada"}}
    asked: Json = {
        "action_requests": [action],
        "review_configs": [{"action_name": "send", "allowed_decisions": ["edit", "reject"]}],
    }
    said = 'edit {"a": ' + "[" * 3_000 + "]" * 3_000 + "}"
    resumed = build_resume_value(Interrupt("i", asked), {1: InterruptAnswer("i", said)})
    assert json.loads(json.dumps(resumed)) == {"decisions": [{"type": "reject", "message": said}]}


def test_what_is_nested_as_usual_is_read_however_much_there_is() -> None:
    body = json.dumps({"messages": [{"content": [{"text": "x"}]}] * 1_000}).encode()
    assert read_json(body) == json.loads(body)
    deepest = b"[" * MOST_LEVELS + b"]" * MOST_LEVELS
    assert read_json(deepest) == json.loads(deepest)


def test_an_events_id_has_a_bound() -> None:
    with pytest.raises(UnreadableResponse, match="id"):
        list(EventReader(LIMIT).feed(b"id: " + b"1" * 5_000 + b"\nevent: end\n\n"))
