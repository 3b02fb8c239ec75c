"""A thread's runs, one at a time and in order; threads never wait for each other."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from parley.server.http_errors import Problem
from parley.server.runs.event_log import RunEventLog
from parley.server.runs.payload import CancelAction, MultitaskStrategy, RunPayload
from parley.server.runs.run_attempt import ThreadSnapshot
from parley.server.serialisation import dumps
from parley.server.storage.tables import RunRow


@dataclass(slots=True, eq=False)
class ActiveRun:
    """A run in this process, from its admission until its events are dropped.

    `waited` asks to keep `stand`, the thread as the run left it, for somebody who waits for it; `error`
    is the protocol's form of what went wrong, or None. `told_result` is what a run without a thread left at
    another server.
    """

    row: RunRow
    payload: RunPayload
    log: RunEventLog
    waited: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: CancelAction | None = None
    task: asyncio.Task[ThreadSnapshot] | None = None
    stand: ThreadSnapshot | None = None
    error: dict[str, str] | None = None
    told_result: bytes | None = None

    def result(self) -> bytes | None:
        """What is left of a run without a thread of its own once it has ended."""
        return dumps(self.stand.told()) if self.stand and self.row.temporary else None

    def cancel(self, action: CancelAction) -> None:
        """Ask it to stop; `done` tells when it has. The first one to ask decides how.

        It is cancelled once: another time would cut off the graph's own end, and what it still saves would
        come after a rollback.
        """
        self.cancelled = self.cancelled or action
        if self.task and not self.task.cancelling():
            self.task.cancel()


@dataclass(slots=True, eq=False)
class ThreadQueue:
    """The unfinished runs of a thread; the first is the one that runs."""

    thread_id: str
    queue: deque[ActiveRun] = field(default_factory=deque)
    admission: asyncio.Lock = field(default_factory=asyncio.Lock)
    worker: asyncio.Task[None] | None = None
    users: int = 0


class RunQueues(Protocol):
    """All threads that have unfinished runs, whoever executes them."""

    def hold(self, thread_id: str) -> AbstractAsyncContextManager[ThreadQueue]:
        """Hold a thread's admission: nobody else admits a run to it meanwhile."""
        ...

    def admit(self, lane: ThreadQueue, run: ActiveRun, seconds: float) -> None:
        """Add a run, which is written down, to a lane that is held: now, or after some seconds."""
        ...

    async def withdraw(self, run: ActiveRun, action: CancelAction) -> None:
        """Ask a run of a lane that is held to stop, for another one that waits behind it."""
        ...

    async def cancel(self, run: ActiveRun, action: CancelAction) -> None:
        """Ask a run to stop; one that has not begun does not wait for its turn to end."""
        ...

    async def unfinished(self, thread_id: str | None = None) -> list[ActiveRun]:
        """Return unfinished runs, also those whose time has not come, of one thread or of all."""
        ...

    def active(self) -> list[ActiveRun]:
        """Return unfinished runs of this process."""
        ...

    def scheduled(self) -> list[ActiveRun]:
        """Return runs of this process whose time has not come."""
        ...

    async def close(self) -> None:
        """Stop all work where it is."""
        ...


async def make_way(queues: RunQueues, lane: ThreadQueue, strategy: MultitaskStrategy) -> None:
    """Do what a new run's strategy says about those before it. Raises Problem."""
    if lane.queue and strategy == "reject":
        raise Problem(409, "Thread is already running a task. Wait for it to finish, or cancel it.")
    if strategy in ("interrupt", "rollback"):
        for run in lane.queue:
            await queues.withdraw(run, "rollback" if strategy == "rollback" else "interrupt")


class ThreadQueues:
    """The queues of a server that is alone. `execute` takes a run to its end and never raises."""

    def __init__(self, execute: Callable[[ActiveRun], Awaitable[None]]) -> None:
        self._execute_one = execute
        self._lanes: dict[str, ThreadQueue] = {}
        self._later: dict[str, tuple[ActiveRun, asyncio.Task[None]]] = {}

    @asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[ThreadQueue]:
        """Hold a thread's admission: nobody else admits a run to it meanwhile."""
        lane = self._lanes.setdefault(thread_id, ThreadQueue(thread_id))
        lane.users += 1
        try:
            async with lane.admission:
                yield lane
        finally:
            lane.users -= 1
            self._drop_if_idle(lane)

    def admit(self, lane: ThreadQueue, run: ActiveRun, seconds: float) -> None:
        """Add a run to a lane that is held: now, or after some seconds."""
        if seconds > 0:
            # A context of its own: what the request's caller had set is not the run's business.
            waiting = asyncio.create_task(self._wait(run, seconds), context=contextvars.Context())
            self._later[run.row.run_id] = (run, waiting)
            return
        lane.queue.append(run)
        if lane.worker is None:
            lane.worker = asyncio.create_task(self._work(lane), context=contextvars.Context())

    async def unfinished(self, thread_id: str | None = None) -> list[ActiveRun]:
        """Unfinished runs, also those whose time has not come, of one thread or of all."""
        found = [*self.active(), *self.scheduled()]
        return [run for run in found if thread_id in (None, run.row.thread_id)]

    def scheduled(self) -> list[ActiveRun]:
        """Runs whose time has not come."""
        return [run for run, _ in self._later.values()]

    async def withdraw(self, run: ActiveRun, action: CancelAction) -> None:
        """Ask a run to stop; its turn comes all the same."""
        run.cancel(action)

    async def cancel(self, run: ActiveRun, action: CancelAction) -> None:
        """Ask a run to stop; one that has not begun does not wait for its turn to end."""
        run.cancel(action)
        _, waiting = self._later.pop(run.row.run_id, (run, None))
        if waiting:
            waiting.cancel()
            await self._execute(run)
            return
        lane = self._lanes.get(run.row.thread_id)
        if lane and run in lane.queue and run is not lane.queue[0]:
            lane.queue.remove(run)
            await self._execute(run)

    def active(self) -> list[ActiveRun]:
        """Unfinished runs."""
        return [run for lane in self._lanes.values() for run in lane.queue]

    async def close(self) -> None:
        """Stop all work where it is."""
        workers = [lane.worker for lane in self._lanes.values() if lane.worker]
        workers += [waiting for _, waiting in self._later.values()]
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    async def _wait(self, run: ActiveRun, seconds: float) -> None:
        await asyncio.sleep(seconds)
        async with self.hold(run.row.thread_id) as lane:
            del self._later[run.row.run_id]
            self.admit(lane, run, 0.0)

    async def _execute(self, run: ActiveRun) -> None:
        try:
            await self._execute_one(run)
        finally:
            run.log.close()

    async def _work(self, lane: ThreadQueue) -> None:
        while lane.queue:
            await self._execute(lane.queue[0])
            lane.queue.popleft()
        lane.worker = None
        self._drop_if_idle(lane)

    def _drop_if_idle(self, lane: ThreadQueue) -> None:
        if not lane.users and not lane.queue:
            self._lanes.pop(lane.thread_id, None)
