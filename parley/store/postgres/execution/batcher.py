"""One connection for many callers: what arrives while a batch is out goes out together next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreUnavailable
from parley.store.postgres.database.connection import (
    PostgresLocation,
    connect,
    cut_off,
    is_dead,
    may_compress_log,
)
from parley.store.postgres.database.error_mapping import map_error, silent_server
from parley.store.postgres.database.schema import Connection
from parley.store.postgres.execution.call_merging import SqlCall, Value, merge_calls, split_answers
from parley.store.rows import Row

_BATCH = 500
_HEAVY = 8_000_000  # characters: a batch that has so many takes no more calls
_TRIES = 10  # of a batch that another node's made the server undo
_LIMITS = ("SET LOCAL statement_timeout = {0:d}", "SET LOCAL lock_timeout = {0:d}")
_COMPRESS = "SET LOCAL wal_compression = on"


@dataclass(frozen=True, slots=True)
class _Job:
    call: SqlCall
    weight: int
    future: asyncio.Future[list[Row]]


class Batcher:
    """Sends calls, many to a transaction; durable when their futures resolve.

    A call that fails undoes itself only. A connection that was lost fails what was out on it (whether it
    was committed is not known then) and is opened again for what comes next. The `outage` is told of both,
    under the `name`. One that `writes` has the server's log compressed where the user may ask for it.
    """

    def __init__(
        self,
        where: PostgresLocation,
        timeout: float,
        connection: Connection | None = None,
        *,
        name: str = "database",
        outage: StoreOutage | None = None,
        writes: bool = False,
    ) -> None:
        self._where = where
        self._writes = writes
        self._compresses: bool | None = None  # None: this connection was not asked yet
        self._name, self._outage = name, outage or StoreOutage()
        self._timeout = timeout
        self._limits = tuple(each.format(round(timeout * 1000)) for each in _LIMITS)
        self._hold = f"SELECT {where.schema}.hold(%s::text[], %s::text[], %s::boolean[])"
        self._connection = _deaf(connection) if connection is not None else None
        self._jobs: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._open = True
        self._left = False
        self._task = asyncio.create_task(self._serve(), name="parley-store")

    def submit(self, call: SqlCall) -> asyncio.Future[list[Row]]:
        """Hand a call over.

        Raises StoreUnavailable once closed, ValueError for text that is not valid Unicode or has NULs.
        """
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        weight = _weight(call.values)
        future: asyncio.Future[list[Row]] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait(_Job(call, weight, future))
        return future

    async def close(self, patience: float) -> None:
        """Commit what was handed over, and close the connection; a server that does not answer is left."""
        self._open = False
        self._jobs.put_nowait(None)
        await asyncio.wait([self._task], timeout=patience)
        if not self._task.done():
            self._left = True
            if self._connection is not None:
                cut_off(self._connection)
                await asyncio.wait([self._task], timeout=patience)
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _serve(self) -> None:
        batch: list[_Job] = []
        try:
            while batch := await self._take():
                await self._deliver(batch)
        finally:
            self._open = False
            while not self._jobs.empty():
                if job := self._jobs.get_nowait():
                    batch.append(job)
            for job in batch:
                _refuse(job, StoreUnavailable("The store is closed."))
            await self._hang_up()

    async def _take(self) -> list[_Job]:
        """Return what is there, at most a batch; nothing when it is time to end."""
        job = await self._jobs.get()
        batch: list[_Job] = []
        weight = 0
        while job is not None:
            batch.append(job)
            weight += job.weight
            if len(batch) == _BATCH or weight >= _HEAVY or self._jobs.empty():
                return batch
            job = self._jobs.get_nowait()
        if batch:
            self._jobs.put_nowait(None)  # seen in the middle: commit first, end next time
        return batch

    async def _deliver(self, batch: list[_Job]) -> None:
        try:
            answers = await self._together([job.call for job in batch])
        except StoreUnavailable as error:
            if len(batch) > 1 and self._connection is not None:  # one was refused, or slow: each alone
                for job in batch:
                    await self._deliver([job])
                return
            self._outage.note_failure(self._name, error)
            for job in batch:
                _refuse(job, error)
            return
        self._outage.note_success(self._name)
        for job, rows in zip(batch, answers, strict=True):
            if not job.future.done():  # its caller went away
                job.future.set_result(rows)

    async def _together(self, calls: Sequence[SqlCall]) -> list[list[Row]]:
        """Make one transaction. Raises StoreUnavailable; the connection is gone then, or it was undone."""
        connection = await self._ready()
        with _cut_off_after(2 * self._timeout, connection) as is_cut:
            try:
                return await self._tried(connection, calls)
            except psycopg.Error as error:
                if connection.closed:
                    await self._hang_up()
                if is_cut():
                    raise silent_server(self._where.place) from error
                raise map_error(self._where.place, error) from error

    async def _tried(self, connection: Connection, calls: Sequence[SqlCall]) -> list[list[Row]]:
        if self._compresses is None:
            self._compresses = self._writes and await may_compress_log(connection)
        for _ in range(_TRIES - 1):
            try:
                return await self._sent(connection, calls)
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                continue
            except psycopg.errors.InsufficientPrivilege:
                if not self._compresses:
                    raise
                self._compresses = False  # the right to ask for it was taken away
        return await self._sent(connection, calls)

    async def _sent(self, connection: Connection, calls: Sequence[SqlCall]) -> list[list[Row]]:
        # One message is one transaction: the server begins when all of it has come and commits without
        # asking back. A client that freezes, whenever it does, leaves no lock behind.
        cursor = psycopg.AsyncClientCursor(connection)
        statements = [*self._limits, *([_COMPRESS] if self._compresses else [])]
        settings = len(statements)
        if locks := _locks(calls):
            queues, lanes = zip(*locks, strict=True)
            values = (list(queues), list(lanes), list(locks.values()))
            statements.append(cursor.mogrify(self._hold.encode(), values))
        parcels = merge_calls(calls)
        statements += [cursor.mogrify(parcel.statement.encode(), parcel.values) for parcel in parcels]
        await cursor.execute(";".join(statements).encode())
        for _ in range(settings + bool(locks)):
            cursor.nextset()
        return split_answers(parcels, [await _rows(cursor) for _ in parcels])

    async def _ready(self) -> Connection:
        if self._left:
            raise StoreUnavailable("The store is closed.")
        if self._connection is not None and is_dead(self._connection):
            await self._hang_up()
        if self._connection is None:
            self._connection = _deaf(await connect(self._where))
        return self._connection

    async def _hang_up(self) -> None:
        if self._connection is not None:
            connection, self._connection, self._compresses = self._connection, None, None
            await connection.close()


@contextmanager
def _cut_off_after(seconds: float, connection: Connection) -> Iterator[Callable[[], bool]]:
    """End the connection unless the block is over in time; yields what tells whether it was.

    Not by a timeout: the driver would first ask a server that does not answer to cancel, for ten seconds.
    """
    cut = False

    def end() -> None:
        nonlocal cut
        cut = True
        cut_off(connection)

    timer = asyncio.get_running_loop().call_later(seconds, end)
    try:
        yield lambda: cut
    finally:
        timer.cancel()


def _locks(calls: Sequence[SqlCall]) -> dict[tuple[str, str], bool]:
    """Return the lanes that a batch changes, and whether to make each; none where one lane is all."""
    locks: dict[tuple[str, str], bool] = {}
    for call in calls:
        for lane in call.locks:
            locks[lane] = locks.get(lane, False) or call.makes
    return locks if len(locks) > 1 else {}


def _deaf(connection: Connection) -> Connection:
    """Through a pooler notices may come that were meant for the listener: they must not pile up."""
    connection.add_notify_handler(lambda notice: None)
    return connection


async def _rows(cursor: psycopg.AsyncCursor[Row]) -> list[Row]:
    """Return the answer to one statement; the cursor moves on to the next one's."""
    rows = await cursor.fetchall()
    cursor.nextset()
    return rows


def _weight(values: Sequence[Value]) -> int:
    """Count their characters. Raises ValueError for what PostgreSQL does not take as text."""
    weight = 0
    for value in values:
        for text in (value,) if isinstance(value, str) else value if isinstance(value, list) else ():
            if isinstance(text, str):
                text.encode()
                if "\0" in text:
                    raise ValueError("PostgreSQL keeps no NUL in a text")
                weight += len(text)
    return weight


def _refuse(job: _Job, error: StoreUnavailable) -> None:
    if not job.future.done():
        job.future.set_exception(error)
