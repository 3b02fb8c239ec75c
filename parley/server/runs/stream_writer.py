"""Writes down what runs of this server stream, for those who follow them on another one."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from parley.server.runs.event_log import SseEvent
from parley.server.runs.thread_queues import ActiveRun
from parley.server.storage.interface import Cluster, Database, Statement
from parley.server.storage.stream_rows import add_events, begin_stream, drop_events, end_stream

_log = logging.getLogger(__name__)

_GATHERING = 0.02
_PAUSE = 0.5


@dataclass(slots=True)
class _Pending:
    run: ActiveRun
    begun: bool = False
    ended: bool = False
    events: list[SseEvent] = field(default_factory=list)
    dropped: int = 0


class StreamWriter:
    """Events go in few transactions: a token alone would cost one each."""

    def __init__(self, database: Database, cluster: Cluster) -> None:
        self._database = database
        self._unwritten: tuple[type[BaseException], ...] = (*database.errors, asyncio.CancelledError)
        self._cluster = cluster
        self._pending: dict[str, _Pending] = {}
        self._wake = asyncio.Event()
        cluster.on_lost(self._pending.clear)

    def begin(self, run: ActiveRun) -> None:
        """Say that an attempt at a run begins."""
        self._of(run).begun = True

    def append(self, run: ActiveRun, event: SseEvent) -> None:
        """Add an event of a run."""
        self._of(run).events.append(event)

    def end(self, run: ActiveRun) -> None:
        """Say that no more will come of a run."""
        self._of(run).ended = True

    async def work(self) -> None:
        """Write down what comes, for ever."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(_GATHERING)
            try:
                await self.flush()
            except self._database.errors as error:
                _log.warning("events of runs could not be kept for other servers: %s", error)
                await asyncio.sleep(_PAUSE)

    async def flush(self) -> None:
        """Write down what is there. Raises one of the database's errors: it is all tried again."""
        self._wake.clear()
        taken = dict(self._pending)
        self._pending.clear()
        try:
            if taken:
                await self._database.write(
                    *[each for one in taken.values() for each in self._statements(one)]
                )
        except self._unwritten:
            for run_id, one in taken.items():
                later = self._pending.get(run_id)
                if later is not None:
                    one.events += later.events
                    one.begun, one.ended = one.begun or later.begun, one.ended or later.ended
                self._pending[run_id] = one
            self._wake.set()
            raise

    def _statements(self, one: _Pending) -> list[Statement]:
        row, now = one.run.row, self._cluster.clock()
        events = [(event.id, event.frame) for event in one.events]
        statements = [begin_stream(row, now)] if one.begun else []
        if one.begun:
            statements.append(
                self._cluster.announce("began", f"{row.thread_id} {row.run_id} {self._cluster.name}")
            )
        if events:
            statements.append(add_events(row.run_id, events))
        if one.run.log.dropped > one.dropped:
            statements.append(drop_events(row.run_id, one.run.log.dropped + 1))
        if one.ended:
            statements.append(end_stream(row, now, one.run.error, one.run.result()))
        return [*statements, self._cluster.announce("events", row.run_id)]

    def _of(self, run: ActiveRun) -> _Pending:
        self._wake.set()
        return self._pending.setdefault(run.row.run_id, _Pending(run, dropped=run.log.dropped))
