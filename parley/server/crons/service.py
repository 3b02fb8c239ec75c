"""Crons: kept on disk, and run once for each time that comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

from parley.core.model.types import JsonObject
from parley.server.crons.schedule import next_time
from parley.server.http_errors import Problem, not_found
from parley.server.json_bodies import validate_model
from parley.server.runs.manager import RunManager
from parley.server.runs.payload import RunPayload
from parley.server.storage.cron_rows import (
    CronRow,
    all_crons,
    cron_of,
    delete_cron,
    due_crons,
    next_due,
    save_cron,
    set_next_run,
)
from parley.server.storage.interface import Storage
from parley.server.storage.locks import Mutex
from parley.server.storage.tables import Tables

_log = logging.getLogger(__name__)

_LONGEST_REST = 30.0
"""Seconds: a clock that is set is noticed within these."""

_LOOK_EVERY = 5.0
"""Seconds after which a server looks whether it has to do this for all."""


@dataclass(frozen=True, slots=True)
class CronChange:
    """What a client sets of a cron; None leaves it as it is. With `endless` it has no end any more."""

    schedule: str | None = None
    timezone: str | None = None
    end_time: float | None = None
    endless: bool = False
    enabled: bool | None = None
    on_run_completed: str | None = None
    metadata: JsonObject | None = None
    payload: JsonObject | None = None


class CronService:
    """Crons by id. Methods that take one raise Problem where there is none."""

    def __init__(self, storage: Storage, runs: RunManager, clock: Callable[[], float]) -> None:
        database = storage.database
        self._database = database
        self._cluster = storage.cluster
        self._tables = Tables(database)
        self._runs = runs
        self._clock = clock
        self._changed = asyncio.Event()
        self._running = asyncio.Lock()
        self._changing = Mutex("crons", storage.cluster)
        if storage.cluster is not None:
            storage.cluster.subscribe("crons", lambda _: self._changed.set())

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """The time in which crons run. What was missed before it runs once, at its beginning."""
        worker = asyncio.create_task(self._work())
        try:
            yield
        finally:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    async def create(
        self, thread_id: str | None, assistant: str, change: CronChange, user: JsonObject | None = None
    ) -> CronRow:
        """A new cron, of a thread or with a new thread for each run. Raises Problem."""
        if thread_id is not None and await self._tables.thread(thread_id) is None:
            raise not_found("Thread")
        now = self._clock()
        empty = CronRow(
            *(str(uuid4()), assistant, thread_id, "", None, None, None, {}, {}, True, None, now, now)
        )
        row = self._changed_row(empty, change)
        # Whatever else a handler says of somebody, such as a token, is of this moment only.
        kept = {name: (user or {})[name] for name in ("identity", "permissions") if name in (user or {})}
        named = replace(
            row, assistant_id=(await self._runs.check(_payload(row))).assistant_id, auth_user=kept
        )
        return await self._save(named)

    async def update(self, cron_id: str, change: CronChange) -> CronRow:
        """Change a cron, which stays its owner's; what its runs are asked is merged."""
        # One that is forgotten meanwhile must not come back.
        async with self._changing.hold():
            row = self._changed_row(await self.get(cron_id), change)
            await self._runs.check(_payload(row))
            return await self._save(row)

    async def get(self, cron_id: str) -> CronRow:
        """A cron."""
        row = await cron_of(self._database, cron_id)
        if row is None:
            raise not_found("Cron")
        return row

    async def delete(self, cron_id: str) -> None:
        """Forget a cron; runs of it that were made go on."""
        async with self._changing.hold():
            await self.get(cron_id)
            await self._database.write(delete_cron(cron_id), durable=True)

    async def search(self, matches: Callable[[CronRow], bool]) -> list[CronRow]:
        """Those that match, oldest first."""
        return [row for row in await all_crons(self._database) if matches(row)]

    async def run_due(self) -> None:
        """Make the runs whose time has come: each once, whatever happens meanwhile."""
        async with self._running:
            if self._cluster is not None and not await self._cluster.leads():
                return
            now = self._clock()
            for row in await due_crons(self._database, now):
                await self._run(row, now)

    async def _run(self, row: CronRow, now: float) -> None:
        # One whose schedule cannot be read any more comes no more until it is changed: the others do.
        noted = set_next_run(row.cron_id, row.next_run or 0.0, None)
        try:
            following = next_time(row.schedule, row.timezone, now, row.end_time)
            noted = set_next_run(row.cron_id, row.next_run or 0.0, following)
            if row.end_time is not None and now >= row.end_time:
                raise Problem(409, "its time came before its end, but it is over now")
            # The run and the note that it was made are one transaction.
            await self._runs.admit(row.thread_id, _payload(row), user=row.auth_user, also=[noted])
        except Problem as problem:
            _log.warning("cron %s made no run this time: %s", row.cron_id, problem.detail)
            await self._database.write(noted, durable=True)

    async def _work(self) -> None:
        while True:
            self._changed.clear()
            rest: float | None = _LONGEST_REST
            try:
                await self.run_due()
                due = await next_due(self._database)
                rest = None if due is None else min(max(due - self._clock(), 0.0), _LONGEST_REST)
                if self._cluster is not None:
                    rest = _LOOK_EVERY if rest is None or not await self._cluster.leads() else rest
            except self._database.errors:
                _log.exception("crons could not be read or noted; it is tried again")
            try:
                async with asyncio.timeout(rest):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _changed_row(self, row: CronRow, change: CronChange) -> CronRow:
        now = self._clock()
        names = ("schedule", "timezone", "end_time", "enabled", "on_run_completed", "metadata")
        given = {name: value for name in names if (value := getattr(change, name)) is not None}
        ends = {"end_time": None} if change.endless else {}
        payload = {**row.payload, **(change.payload or {})}
        row = replace(row, **given | ends | {"payload": payload, "updated_at": now})
        return replace(row, next_run=next_time(row.schedule, row.timezone, now, row.end_time))

    async def _save(self, row: CronRow) -> CronRow:
        told = [self._cluster.announce("crons", "")] if self._cluster else []
        await self._database.write(save_cron(row), *told, durable=True)
        self._changed.set()
        return row


def _payload(row: CronRow) -> RunPayload:
    """What a run of the cron is asked. Raises Problem."""
    asked = {
        **row.payload,
        "assistant_id": row.assistant_id,
        "metadata": {**row.metadata, "cron_id": row.cron_id},
        "on_completion": row.on_run_completed or "delete",
    }
    return validate_model(RunPayload, asked)
