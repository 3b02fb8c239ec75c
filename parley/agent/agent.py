"""The Agent port over a LangGraph server."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from parley.agent.files.reader import FileReader
from parley.agent.langgraph_client import AgentServerClient
from parley.agent.runs.answer_files import AnswerFiles
from parley.agent.runs.coalescing_event import CoalescingEvent
from parley.agent.runs.follower import FollowOptions, RunFollower
from parley.agent.runs.memory_injection import MemoryInjection, MemoryInjector
from parley.agent.runs.preparation import RunDefaults
from parley.agent.runs.run_input import RECURSION_LIMIT
from parley.agent.transport.artifacts import ThreadFiles
from parley.agent.transport.health_probe import probe_health
from parley.agent.transport.http_client import AgentEndpoint, make_clients
from parley.agent.transport.model_list import fetch_models
from parley.agent.transport.speaker_headers import ThreadSpeakers, has_places, speaking
from parley.core.model.types import RunEvent, RunMode, RunProgress, RunRef, RunRequest, RunStarted
from parley.core.ports.agent import AssistantInfo
from parley.core.ports.health import Health, HealthReport

log = logging.getLogger(__name__)

_INTERVAL = 0.05
"""Seconds between two looks at a growing reply; no platform edits faster."""


class LangGraphAgent:
    """Runs turns on one agent server; an async context manager.

    `files` is where the files that agents send are put; `models` are the names to choose from, else the
    server at `gateway_url` is asked. `images` says that the agent's model takes pictures, `injection` how
    runs are given memory, `thoughts` that a step has what the model says while it thinks. `transport` takes
    the place of the network, for a server within this process.
    `rejoin_delay` is the shortest wait in seconds before a broken stream is joined again.
    """

    def __init__(
        self,
        endpoint: AgentEndpoint,
        *,
        files: Path,
        models: tuple[str, ...] = (),
        gateway_url: str = "",
        recursion_limit: int = RECURSION_LIMIT,
        images: bool = True,
        injection: MemoryInjection = MemoryInjection.AUTO,
        thoughts: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
        rejoin_delay: float = 0.2,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._endpoint = endpoint
        self._gateway_url = gateway_url
        self._http, sdk = make_clients(endpoint, transport)
        # Where an agent has its files: on its gateway, else beside its runs.
        inside = self._http if transport and not gateway_url else None
        self._kept = ThreadFiles(gateway_url or endpoint.url, endpoint, inside)
        self._files, self._rejoin_delay = AnswerFiles(files, self._kept), rejoin_delay
        self.configure(
            models=models,
            recursion_limit=recursion_limit,
            images=images,
            injection=injection,
            thoughts=thoughts,
        )
        self._clock = clock
        self._server = AgentServerClient(sdk)
        self._speakers, self._named = ThreadSpeakers(), has_places(endpoint.headers)
        self._stack = AsyncExitStack()
        self._report = HealthReport("agent", Health.STARTING, "not asked yet", clock())

    def configure(
        self,
        *,
        models: tuple[str, ...],
        recursion_limit: int,
        images: bool,
        injection: MemoryInjection,
        thoughts: bool = False,
    ) -> None:
        """Set how runs are made from now on; those under way go on as they began.

        What was learned about the server's graphs is asked for again.
        """
        self._models = models
        self._terms = FollowOptions(
            self._files,
            RunDefaults(recursion_limit, FileReader(), self._kept, images, MemoryInjector(injection)),
            self._rejoin_delay,
            thoughts=thoughts,
        )

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._http)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def run(self, request: RunRequest) -> AsyncGenerator[RunEvent, None]:
        """Make the turn's run, or find and join it; see the Agent port.

        RunProgress comes at most twenty times a second and always with the newest text. Closing the
        iterator leaves the run going on the server.
        """
        if self._named:
            self._speakers.note(request.thread, request.identity)
        pulse = CoalescingEvent(_INTERVAL)
        on_news = pulse.beat if request.mode is RunMode.STREAM else _nothing
        follower = RunFollower(self._server, request, self._terms, pulse.wake, on_news)
        task = asyncio.create_task(follower.follow(), name=f"run of turn {request.turn_id}")
        task.add_done_callback(lambda _: pulse.wake())
        announced, shown = "", 0
        try:
            while not task.done():
                await pulse.wait()
                if follower.run_id != announced:
                    announced = follower.run_id
                    yield RunStarted(RunRef(request.thread, announced), follower.unread, follower.reminded)
                if pulse.beats != shown and not task.done():
                    shown = pulse.beats
                    pulse.rest()
                    yield _progress(follower)
            yield task.result()
        finally:
            pulse.stop()
            await _ended(task)

    async def cancel(self, run: RunRef, turn: str = "") -> None:
        """Stop a run, keeping what the thread has; a run already over is no error. Raises AgentError.

        One whose id is not known ("") is found by its turn, if it was made at all.
        """
        with speaking(self._speakers.of(run.thread)):
            if run_id := run.run_id or await self._server.find(run.thread, turn):
                await self._server.cancel(run.thread, run_id)

    async def copy(self, thread: str) -> str:
        """A thread's newest state as JSON text; "" where there is no such thread. Raises AgentError."""
        with speaking(self._speakers.of(thread)):
            state = await self._server.state(thread)
        return "" if state is None else json.dumps(state, ensure_ascii=False)

    async def forget(self, thread: str) -> bool:
        """Delete a thread with all that it has; False where there is none. Raises AgentError."""
        with speaking(self._speakers.of(thread)):
            return await self._server.forget(thread)

    async def models(self) -> tuple[str, ...]:
        """The configured models, else the gateway's; nothing where neither is set. Raises AgentError."""
        if self._models or not self._gateway_url:
            return self._models
        return await fetch_models(self._gateway_url, self._endpoint)

    async def assistants(self) -> tuple[AssistantInfo, ...]:
        """The assistants of the server. Raises AgentError."""
        return await self._server.directory.all()

    async def knows(self, assistant: str) -> bool | None:
        """Whether the server has this assistant; None where it does not say. Raises AgentError."""
        return await self._server.directory.knows(assistant)

    async def health(self) -> HealthReport:
        """Ask the server how it is; never raises."""
        health, detail = await probe_health(self._http)
        before = self._report
        if (health, detail) != (before.health, before.detail):
            since = before.since if health is before.health else self._clock()
            self._report = HealthReport("agent", health, detail, since)
            if health is not before.health:
                _tell_change(before.health, self._report)
        return self._report


def _progress(follower: RunFollower) -> RunProgress:
    transcript = follower.transcript
    return RunProgress(transcript.text(), transcript.steps.shown())


def _tell_change(before: Health, now: HealthReport) -> None:
    if now.health is not Health.UP:
        log.warning("the agent server cannot be used, messages wait for it: %s", now.detail)
    elif before is not Health.STARTING:
        log.info("the agent server can be used again: %s", now.detail)


def _nothing() -> None:
    pass


async def _ended(task: asyncio.Task[RunEvent]) -> None:
    """Cancel what still runs and wait for its connections to be closed."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
