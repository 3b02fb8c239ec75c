"""One connection for many callers: what arrives while a batch is out goes out together next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg

from bridge.errors import StoreUnavailable
from store.postgres.connection import Location, connect, is_dead
from store.postgres.schema import Connection
from store.postgres.trouble import unavailable

Value: TypeAlias = str | int | float | bool | Sequence[str] | Sequence[int] | Sequence[float] | None
Row: TypeAlias = tuple[Any, ...]  # the columns' types are the functions'

_BATCH = 500
_TRIES = 10  # of a batch that another node's made the server undo
_LIMITS = """SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),
    set_config('idle_in_transaction_session_timeout', %s, true)"""


@dataclass(frozen=True, slots=True)
class Call:
    """One statement; `locks` are the lanes (queue, lane) that it changes, `makes` whether they may be new."""

    statement: str
    values: tuple[Value, ...]
    locks: tuple[tuple[str, str], ...] = ()
    makes: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    call: Call
    future: asyncio.Future[list[Row]]


class Batcher:
    """Sends calls, many to a transaction; durable when their futures resolve.

    A call that fails undoes itself only. A connection that was lost fails what was out on it (whether it
    was committed is not known then) and is opened again for what comes next.
    """

    def __init__(self, where: Location, timeout: float, connection: Connection | None = None) -> None:
        self._where = where
        self._timeout = timeout
        self._hold = f"SELECT {where.schema}.hold(%s::text[], %s::text[], %s::boolean[])"
        self._connection = connection
        self._jobs: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._open = True
        self._task = asyncio.create_task(self._serve(), name="parley-store")

    def submit(self, call: Call) -> asyncio.Future[list[Row]]:
        """Raises StoreUnavailable once closed, ValueError for text that is not valid Unicode or has NULs."""
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        _demand_text(call.values)
        future: asyncio.Future[list[Row]] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait(_Job(call, future))
        return future

    async def close(self) -> None:
        """Commit what was handed over, and close the connection."""
        self._open = False
        self._jobs.put_nowait(None)
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
        """What is there, at most a batch; nothing when it is time to end."""
        job = await self._jobs.get()
        batch: list[_Job] = []
        while job is not None:
            batch.append(job)
            if len(batch) == _BATCH or self._jobs.empty():
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
            for job in batch:
                _refuse(job, error)
            return
        for job, rows in zip(batch, answers, strict=True):
            if not job.future.done():  # its caller went away
                job.future.set_result(rows)

    async def _together(self, calls: Sequence[Call]) -> list[list[Row]]:
        """One transaction. Raises StoreUnavailable; the connection is gone then, or it was undone."""
        connection = await self._ready()
        try:
            async with asyncio.timeout(2 * self._timeout):
                return await self._tried(connection, calls)
        except TimeoutError as error:
            await self._hang_up()
            raise StoreUnavailable(f"{self._where.place}: the server does not answer.") from error
        except psycopg.Error as error:
            if connection.closed:
                await self._hang_up()
            raise unavailable(self._where.place, error) from error

    async def _tried(self, connection: Connection, calls: Sequence[Call]) -> list[list[Row]]:
        for _ in range(_TRIES - 1):
            with suppress(psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                return await self._sent(connection, calls)
        return await self._sent(connection, calls)

    async def _sent(self, connection: Connection, calls: Sequence[Call]) -> list[list[Row]]:
        milliseconds = str(round(self._timeout * 1000))
        # No pipeline: without a Sync the server waits for a frozen client for ever, and its locks with it.
        async with connection.transaction():
            await connection.execute(_LIMITS, (milliseconds,) * 3)
            if locks := _locks(calls):
                queues, lanes = zip(*locks, strict=True)
                await connection.execute(self._hold, (list(queues), list(lanes), list(locks.values())))
            cursors = [await connection.execute(call.statement.encode(), call.values) for call in calls]
        return [await cursor.fetchall() for cursor in cursors]

    async def _ready(self) -> Connection:
        if self._connection is not None and is_dead(self._connection):
            await self._hang_up()
        if self._connection is None:
            self._connection = await connect(self._where)
        return self._connection

    async def _hang_up(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()


def _locks(calls: Sequence[Call]) -> dict[tuple[str, str], bool]:
    """The lanes that a batch changes, and whether to make each; none where one lane is all."""
    locks: dict[tuple[str, str], bool] = {}
    for call in calls:
        for lane in call.locks:
            locks[lane] = locks.get(lane, False) or call.makes
    return locks if len(locks) > 1 else {}


def _demand_text(values: Sequence[Value]) -> None:
    for value in values:
        for text in (value,) if isinstance(value, str) else value if isinstance(value, list) else ():
            if isinstance(text, str):
                text.encode()
                if "\0" in text:
                    raise ValueError("PostgreSQL keeps no NUL in a text")


def _refuse(job: _Job, error: StoreUnavailable) -> None:
    if not job.future.done():
        job.future.set_exception(error)
