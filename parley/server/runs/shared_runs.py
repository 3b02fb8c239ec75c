"""Runs where several servers share a database: executed by one, followed on any."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress

from parley.server.runs.shared_queues import SharedThreadQueues
from parley.server.runs.stream_writer import StreamWriter
from parley.server.runs.thread_queues import ActiveRun
from parley.server.storage.interface import Cluster, Database
from parley.server.storage.stream_rows import stream_of, streams_of_thread
from parley.server.storage.tables import RunRow, Tables


class SharedRuns:
    """Finds runs of all servers; `runs` are those that are known here, by their id."""

    def __init__(
        self,
        database: Database,
        cluster: Cluster,
        runs: MutableMapping[str, ActiveRun],
        execute: Callable[[ActiveRun], Awaitable[None]],
        make: Callable[[RunRow], ActiveRun],
    ) -> None:
        self._database = database
        self._cluster = cluster
        self._tables = Tables(database)
        self._runs = runs
        self._make = make
        self._begun: Callable[[ActiveRun], None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.writer = StreamWriter(database, cluster)
        self.queues = SharedThreadQueues(database, cluster, runs, execute, make)
        cluster.subscribe("began", self._hear_begin)

    def on_begin(self, tell: Callable[[ActiveRun], None]) -> None:
        """Have a function told of runs that begin at other servers."""
        self._begun = tell

    async def work(self) -> None:
        """Execute what nobody executes, and write down what is streamed, for ever."""
        self.queues.look()
        try:
            await self.writer.work()
        finally:
            with suppress(*self._database.errors):
                await self.writer.flush()

    async def find(self, run_id: str) -> ActiveRun | None:
        """Return a run that is known here, or whose events are kept in the database."""
        if run_id in self._runs:
            return self._runs[run_id]
        stream, row = await stream_of(self._database, run_id), await self._tables.run(run_id)
        known = row or (stream.run if stream else None)
        if known is None or (known.finished and stream is None):
            return None
        run = self._runs.setdefault(run_id, self._make(known))
        self.queues.follow(run)
        return run

    async def begun(self, thread_id: str) -> list[ActiveRun]:
        """Return the runs of a thread that have begun, in their order."""
        found = [await self.find(each) for each in await streams_of_thread(self._database, thread_id)]
        return [run for run in found if run is not None]

    def _hear_begin(self, text: str) -> None:
        _, run_id, server = text.split(" ", 2)
        if server != self._cluster.name and self._begun is not None:
            task = asyncio.create_task(self._tell_begin(run_id, self._begun))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _tell_begin(self, run_id: str, tell: Callable[[ActiveRun], None]) -> None:
        run = await self.find(run_id)
        if run is not None:
            tell(run)
