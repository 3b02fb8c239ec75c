"""Runs that another server executes, followed here: their events and their end."""

from __future__ import annotations

import asyncio
import logging

from parley.server.runs.event_log import SseEvent
from parley.server.runs.thread_queues import ActiveRun
from parley.server.storage.interface import Cluster, Database
from parley.server.storage.stream_rows import events_of, stream_of
from parley.server.storage.tables import Tables

_log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0
_LOOKS_AFTER_END = 5
"""Looks for the last events of a run that has ended: its server may have died before it wrote them down."""


class RunMirrors:
    """Fills the logs of runs that another server executes."""

    def __init__(self, database: Database, cluster: Cluster) -> None:
        self._database = database
        self._tables = Tables(database)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._news: dict[str, asyncio.Event] = {}
        cluster.subscribe("events", self._hear)

    def follow(self, run: ActiveRun) -> None:
        """Have a run's log filled, until it ends."""
        run_id = run.row.run_id
        if run_id not in self._tasks and not run.done.is_set():
            self._news[run_id] = asyncio.Event()
            task = self._tasks[run_id] = asyncio.create_task(self._work(run))
            task.add_done_callback(lambda _: self._forget(run_id))

    async def stop(self, run: ActiveRun) -> None:
        """Leave a run's log as it is: from here on this server fills it."""
        task = self._tasks.get(run.row.run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def close(self) -> None:
        """Stop all."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, run_id: str) -> None:
        del self._tasks[run_id], self._news[run_id]

    def _hear(self, run_id: str) -> None:
        if run_id in self._news:
            self._news[run_id].set()

    async def _work(self, run: ActiveRun) -> None:
        news, looks = self._news[run.row.run_id], 0
        while not run.done.is_set():
            news.clear()
            try:
                if await self._look(run):
                    return
                looks = looks + 1 if await self._is_over(run) else 0
            except self._database.errors as error:
                _log.warning("run %s cannot be followed for now: %s", run.row.run_id, error)
            if looks > _LOOKS_AFTER_END:
                _end(run, None)
                return
            try:
                async with asyncio.timeout(_LOOK_EVERY):
                    await news.wait()
            except TimeoutError:
                continue

    async def _look(self, run: ActiveRun) -> bool:
        """Take what is new; returns whether that is all."""
        stream = await stream_of(self._database, run.row.run_id)
        if stream is None:
            return False
        while found := await events_of(self._database, run.row.run_id, run.log.last):
            run.log.take([SseEvent(number, frame) for number, frame in found])
        if stream.ended:
            run.row = stream.run
            run.error, run.told_result = stream.error, stream.result
            _end(run, stream.run.status)
        return stream.ended

    async def _is_over(self, run: ActiveRun) -> bool:
        row = await self._tables.run(run.row.run_id)
        if row is not None:
            run.row = row
        return row is None or row.finished


def _end(run: ActiveRun, told: str | None) -> None:
    if told is None:
        run.log.append("end", {"status": run.row.status})
    run.done.set()
    run.log.close()
