"""Threads' runs where several servers share them: one server at a time works on a thread, in order."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager, suppress
from typing import cast

from parley.server.http_errors import Problem
from parley.server.runs.payload import CancelAction, parse_run_payload
from parley.server.runs.run_mirrors import RunMirrors
from parley.server.runs.thread_queues import ActiveRun, ThreadQueue
from parley.server.storage.interface import Cluster, Database
from parley.server.storage.locks import cluster_lock
from parley.server.storage.stream_rows import due_runs, waiting_threads, withdraw, withdrawals
from parley.server.storage.tables import RunRow, Tables, end_run

_log = logging.getLogger(__name__)

_PAUSE = 1.0


class SharedThreadQueues:
    """The queues of servers that share a database, which is where they are.

    Who works on a thread holds its lock `work/ID`, and executes what is written down, whoever admitted it.
    `execute` takes a run to its end; it raises what says that the database is away. `make` knows of a run no
    more than its row.
    """

    def __init__(
        self,
        database: Database,
        cluster: Cluster,
        runs: MutableMapping[str, ActiveRun],
        execute: Callable[[ActiveRun], Awaitable[None]],
        make: Callable[[RunRow], ActiveRun],
    ) -> None:
        self._database = database
        self._tables = Tables(database)
        self._cluster = cluster
        self._runs = runs
        self._execute = execute
        self._make = make
        self.mirrors = RunMirrors(database, cluster)
        self._admissions: dict[str, tuple[asyncio.Lock, list[None]]] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._held: dict[str, dict[str, asyncio.Future[None]]] = {}
        self._executed: dict[str, ActiveRun] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False
        cluster.subscribe("cancel", self._hear_cancel)
        cluster.subscribe("free", lambda _: self.look())
        cluster.on_gap(self.look)
        cluster.on_lost(self._give_up)

    @asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[ThreadQueue]:
        """Hold a thread's admission: no server admits a run to it meanwhile."""
        lock, users = self._admissions.setdefault(thread_id, (asyncio.Lock(), []))
        users.append(None)
        try:
            async with lock, cluster_lock(self._cluster, f"hold/{thread_id}"):
                lane = ThreadQueue(thread_id)
                for row in await due_runs(self._database, thread_id, self._cluster.clock()):
                    lane.queue.append(self._known(row))
                yield lane
        finally:
            users.pop()
            if not users:
                self._admissions.pop(thread_id, None)

    def admit(self, lane: ThreadQueue, run: ActiveRun, seconds: float) -> None:
        """Have a run executed that is written down: now, or after some seconds."""
        if seconds > 0:
            asyncio.get_running_loop().call_later(seconds, self.wake, lane.thread_id)
        else:
            self.wake(lane.thread_id)

    async def withdraw(self, run: ActiveRun, action: CancelAction) -> None:
        """Ask a run to stop, wherever it is."""
        await self.cancel(run, action)

    async def cancel(self, run: ActiveRun, action: CancelAction) -> None:
        """Ask a run to stop, wherever it is."""
        thread_id, run_id = run.row.thread_id, run.row.run_id
        told = self._cluster.announce("cancel", f"{thread_id} {run_id} {action}")
        await self._database.write(withdraw(run_id, action), told, durable=True)
        self._hear_cancel(f"{thread_id} {run_id} {action}")
        self.wake(thread_id)
        self._follow(run)

    async def unfinished(self, thread_id: str | None = None) -> list[ActiveRun]:
        """Unfinished runs, also those whose time has not come, of one thread or of all."""
        if thread_id is None:
            rows = await self._tables.unfinished_runs()
        else:
            rows = await due_runs(self._database, thread_id, self._cluster.clock(), scheduled=True)
        return [self._known(row) for row in rows]

    def active(self) -> list[ActiveRun]:
        """Unfinished runs of this process whose time has come."""
        return [run for run in self._unfinished_here() if not self._is_early(run)]

    def scheduled(self) -> list[ActiveRun]:
        """Runs of this process whose time has not come."""
        return [run for run in self._unfinished_here() if self._is_early(run)]

    def follow(self, run: ActiveRun) -> None:
        """Have the events of a run come here, if it is executed elsewhere."""
        if run.row.thread_id not in self._held:
            self._follow(run)

    def look(self) -> None:
        """Look for threads on which nobody works, and for runs of this server that are to stop."""
        if (self._looking is None or self._looking.done()) and not self._closed:
            self._looking = asyncio.create_task(self._look())

    def wake(self, thread_id: str) -> None:
        """Work on a thread, unless another server does."""
        if self._closed:
            return
        self._again.add(thread_id)
        if thread_id not in self._workers:
            work = self._work(thread_id)
            # A context of its own: what the request's caller had set is not the run's business.
            self._workers[thread_id] = asyncio.create_task(work, context=contextvars.Context())

    async def close(self) -> None:
        """Stop all work where it is: other servers go on with it."""
        self._closed = True
        tasks = [*self._workers.values(), *self._others, *([self._looking] if self._looking else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, self.mirrors.close(), return_exceptions=True)
        for run in self._runs.values():
            run.log.close()

    async def _work(self, thread_id: str) -> None:
        try:
            while thread_id in self._again:
                self._again.discard(thread_id)
                try:
                    await self._work_once(thread_id)
                except self._database.errors as error:
                    _log.warning("thread %s has to wait: %s", thread_id, error)
                    await asyncio.sleep(_PAUSE)
                    self._again.add(thread_id)
        finally:
            self._again.discard(thread_id)
            del self._workers[thread_id]

    async def _work_once(self, thread_id: str) -> None:
        if not await self._cluster.acquire(f"work/{thread_id}"):
            for run in self._unfinished_here():
                if run.row.thread_id == thread_id:
                    self._follow(run)
            return
        withdrawn = self._held[thread_id] = {}
        try:
            while (row := await self._next(thread_id)) is not None:
                await self._take(row)
            # Whoever took the thread before they are over would find those runs unfinished, and execute them.
            while going := [task for task in withdrawn.values() if not task.done()]:
                await asyncio.wait(going)
        finally:
            del self._held[thread_id]
        await self._cluster.release(f"work/{thread_id}")
        # Who admitted a run meanwhile was told that somebody works on the thread.
        if await self._next(thread_id) is not None:
            self._again.add(thread_id)

    async def _next(self, thread_id: str) -> RunRow | None:
        gone = self._held.get(thread_id, {})
        for row in await due_runs(self._database, thread_id, self._cluster.clock()):
            if row.run_id not in gone:
                return row
        return None

    async def _take(self, row: RunRow, action: str = "") -> None:
        """Take a run to its end."""
        run = self._runs.get(row.run_id)
        if run is None or run.done.is_set():
            run = self._runs[row.run_id] = self._make(row)
        self._executed[row.run_id] = run
        try:
            await self.mirrors.stop(run)
            if not await self._read_payload(run, row):
                return
            run.row = row
            asked = action or (await withdrawals(self._database)).get(row.run_id, ("", ""))[1]
            run.cancelled = cast("CancelAction", asked) if asked else run.cancelled
            await self._execute(run)
            run.log.close()
        finally:
            del self._executed[row.run_id]
            if not run.done.is_set():
                self._follow(run)

    async def _read_payload(self, run: ActiveRun, row: RunRow) -> bool:
        """Read what a run is asked that was admitted elsewhere; returns whether it can be read."""
        if run.payload.assistant_id:
            return True
        try:
            run.payload = parse_run_payload(row.payload)
        except Problem:
            _log.exception("run %s cannot be read any more, and is given up", row.run_id)
            await self._database.write(end_run(row.run_id, self._cluster.clock(), "error"))
        return bool(run.payload.assistant_id)

    def _hear_cancel(self, text: str) -> None:
        thread_id, run_id, action = text.split(" ", 2)
        run = self._executed.get(run_id)
        if run is not None:
            run.cancel(cast("CancelAction", action))
        elif (gone := self._held.get(thread_id)) is not None and run_id not in gone:
            # It waits behind another one, and need not.
            gone[run_id] = self._start(self._withdraw_waiting(run_id, action))

    async def _withdraw_waiting(self, run_id: str, action: str) -> None:
        with suppress(*self._database.errors):  # its turn comes all the same
            row = await self._tables.run(run_id)
            if row is not None and not row.finished:
                await self._take(row, action)

    async def _look(self) -> None:
        try:
            for thread_id in await waiting_threads(self._database, self._cluster.clock()):
                self.wake(thread_id)
            if self._held:
                for run_id, (thread_id, action) in (await withdrawals(self._database)).items():
                    self._hear_cancel(f"{thread_id} {run_id} {action}")
        except self._database.errors as error:
            _log.debug("waiting runs cannot be looked for: %s", error)

    def _give_up(self) -> None:
        """Leave to others what this server works on."""
        for task in [*self._workers.values(), *self._others]:
            task.cancel()
        for run in self._unfinished_here():
            self._follow(run)

    def _start(self, work: Awaitable[None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        return task

    def _known(self, row: RunRow) -> ActiveRun:
        run = self._runs.get(row.run_id)
        if run is None:
            run = self._runs[row.run_id] = self._make(row)
            self.follow(run)
        return run

    def _follow(self, run: ActiveRun) -> None:
        if run.row.run_id not in self._executed and not self._closed:
            self.mirrors.follow(run)

    def _unfinished_here(self) -> list[ActiveRun]:
        return [run for run in self._runs.values() if not run.done.is_set()]

    def _is_early(self, run: ActiveRun) -> bool:
        return run.row.not_before > self._cluster.clock()
