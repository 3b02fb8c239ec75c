"""What we ask of a LangGraph server, each call with its errors mapped."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import Command, Config, RunCreateMetadata, StreamMode, StreamPart

from parley.agent.transport.assistants import AssistantDirectory
from parley.agent.transport.decoding import string
from parley.agent.transport.error_mapping import AgentMissing, failed_inside, map_errors
from parley.core.model.attachments import UnreadFile
from parley.core.model.errors import AgentBusy, AgentRefused, AgentUnavailable
from parley.core.model.types import Json, JsonObject
from parley.core.ports.lease import require_lease

STREAM_MODES: list[StreamMode] = ["messages-tuple", "updates", "custom"]
TURN_KEY = "parley_turn"

_THREADS_REMEMBERED = 50_000
_RUNS_SEARCHED = 100
_STARTS_SEARCHED = 10
_CLOSING = 1.0


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A run to be made. Without `input` and `command` a paused thread simply goes on.

    `unread` are the files of which its input does not have everything. It begins at `checkpoint`, or at the
    thread's newest state. `reminded` says that its input has a message with memory.
    """

    thread: str
    assistant: str
    turn_id: str
    config: dict[str, Json]
    context: dict[str, Json]
    input: dict[str, Json] = field(default_factory=dict)
    resume: Json = None
    unread: tuple[UnreadFile, ...] = ()
    checkpoint: str = ""
    reminded: bool = False
    metadata: JsonObject = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """The arguments that the SDK's calls for a new run share."""
        return {
            "input": self.input or None,
            "command": None if self.resume is None else cast("Command", {"resume": self.resume}),
            "config": cast("Config", self.config),
            "context": self.context or None,
            "checkpoint_id": self.checkpoint or None,
            "metadata": {**self.metadata, TURN_KEY: self.turn_id},
            "multitask_strategy": "reject",
            "if_not_exists": "create",
            "stream_resumable": True,
        }


class AgentServerClient:
    """A LangGraph server. Every method raises AgentError, AgentMissing where the server answers 404.

    Those that change something raise LaneLost first when this node may not act any more.
    """

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client
        self._threads: OrderedDict[str, None] = OrderedDict()
        self._threads_first = False
        self.directory = AssistantDirectory(client)

    async def expect_thread(self, thread: str) -> None:
        """Make a thread before its run, where this server is known to run on existing ones only."""
        if self._threads_first:
            await self.ensure_thread(thread)

    async def supply_thread(self, thread: str) -> bool:
        """Make the thread that a run missed; False where it is there, and something else was missed."""
        if await self.has_thread(thread):
            return False
        self._threads_first = True
        await self.ensure_thread(thread)
        return True

    async def ensure_thread(self, thread: str) -> None:
        """Make a thread unless it exists."""
        if thread in self._threads:
            self._threads.move_to_end(thread)
            return
        try:
            with map_errors("create a thread"):
                await self._client.threads.create(thread_id=thread, if_exists="do_nothing")
        except (AgentBusy, AgentMissing):
            # It exists, or this server has no such call: the run itself will show.
            pass
        self._threads[thread] = None
        if len(self._threads) > _THREADS_REMEMBERED:
            self._threads.popitem(last=False)

    async def has_thread(self, thread: str) -> bool:
        """Whether the server knows the thread; where it does not, it will be made again."""
        try:
            with map_errors("look for a thread"):
                await self._client.threads.get(thread)
        except AgentMissing:
            self._threads.pop(thread, None)
            return False
        return True

    async def state(self, thread: str) -> Json:
        """The thread's state, or None where there is none."""
        try:
            with map_errors("read a thread"):
                return cast("Json", await self._client.threads.get_state(thread))
        except AgentMissing:
            return None

    async def forget(self, thread: str) -> bool:
        """Delete a thread with all that it has; False where there is none."""
        self._threads.pop(thread, None)
        try:
            with map_errors("delete a thread"):
                await self._client.threads.delete(thread)
        except AgentMissing:
            return False
        return True

    async def begun(self, thread: str) -> list[dict[str, Json]]:
        """The states in which the thread's latest runs began, newest first, their input not yet in them.

        None of them where the server fails at it: it would fail at the next try, too, and the answer counts
        for more than what is left out without them.
        """
        try:
            with map_errors("read a thread's history"):
                states = await self._client.threads.get_history(
                    thread, limit=_STARTS_SEARCHED, metadata={"source": "input"}
                )
        except AgentUnavailable as error:
            if not failed_inside(error):
                raise
            return []
        return [each for each in _records(states) if _record(each.get("metadata")).get("source") == "input"]

    async def stream(
        self, order: RunSpec, on_created: Callable[[str], None], on_part: Callable[[StreamPart], bool]
    ) -> None:
        """Make a run and hand over its events until they end, or `on_part` says that they have."""
        try:
            await self._stream(order, on_created, on_part)
        except AgentRefused:
            if not await self.directory.learn(order.assistant):
                raise
            await self._stream(order, on_created, on_part)

    async def _stream(
        self, order: RunSpec, on_created: Callable[[str], None], on_part: Callable[[StreamPart], bool]
    ) -> None:
        parts = self._client.runs.stream(
            order.thread,
            self.directory.called(order.assistant),
            stream_mode=STREAM_MODES,
            on_disconnect="continue",
            on_run_created=_run_id_to(on_created),
            **order.arguments(),
        )
        require_lease()
        with map_errors("stream a run"):
            await _hear(parts, on_part)

    async def create(self, order: RunSpec) -> str:
        """Make a run and return its id."""
        try:
            return await self._create(order)
        except AgentRefused:
            if not await self.directory.learn(order.assistant):
                raise
            return await self._create(order)

    async def _create(self, order: RunSpec) -> str:
        require_lease()
        assistant = self.directory.called(order.assistant)
        with map_errors("create a run"):
            run = await self._client.runs.create(
                order.thread, assistant, stream_mode=STREAM_MODES, **order.arguments()
            )
        if not (run_id := string(_record(run).get("run_id"))):
            raise AgentUnavailable("The agent server's answer makes no sense.")
        return run_id

    async def rejoin(
        self, thread: str, run_id: str, last_event: str, on_part: Callable[[StreamPart], bool]
    ) -> None:
        """Hand over a run's events after `last_event`.

        No stream mode is named: the official server would take only the last of several.
        """
        parts = self._client.runs.join_stream(thread, run_id, last_event_id=last_event)
        with map_errors("join a run's stream"):
            await _hear(parts, on_part)

    async def join(self, thread: str, run_id: str) -> Json:
        """Return when a run is over, with the thread's values, as far as this server tells them here."""
        with map_errors("join a run"):
            return cast("Json", await self._client.runs.join(thread, run_id))

    async def status(self, thread: str, run_id: str) -> str:
        """A run's status."""
        with map_errors("ask for a run"):
            run = await self._client.runs.get(thread, run_id)
        return string(_record(run).get("status"))

    async def find(self, thread: str, turn_id: str) -> str:
        """The id of the run that was made for a turn, or ""."""
        try:
            with map_errors("look for a run"):
                runs = _records(await self._client.runs.list(thread, limit=_RUNS_SEARCHED))
        except AgentMissing:
            return ""
        for run in runs:
            if _record(run.get("metadata")).get(TURN_KEY) == turn_id:
                return string(run.get("run_id"))
        return ""

    async def cancel(self, thread: str, run_id: str) -> None:
        """Stop a run and keep what the thread has; one that is over already is no error."""
        require_lease()
        try:
            with map_errors("cancel a run"):
                await self._client.runs.cancel(thread, run_id, action="interrupt")
        except (AgentMissing, AgentBusy):
            pass


def _run_id_to(on_created: Callable[[str], None]) -> Callable[[RunCreateMetadata], None]:
    return lambda made: on_created(made["run_id"])


async def _hear(parts: AsyncIterator[StreamPart], on_part: Callable[[StreamPart], bool]) -> None:
    # Both of the SDK's stream calls return an async generator, though they promise less.
    async with aclosing(cast("AsyncGenerator[StreamPart, None]", parts)) as stream:
        async for part in stream:
            if on_part(part):
                break
        # The server closes now; a connection read to its end can be used again.
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING):
                async for _ in stream:
                    pass


def _record(value: object) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _records(value: object) -> list[dict[str, Json]]:
    return [_record(each) for each in value] if isinstance(value, list) else []
