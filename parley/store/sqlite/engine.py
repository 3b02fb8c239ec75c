"""The parts under a journal, from the lock on the file to the threads that use it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from parley.core.flow_control.store_outage import StoreOutage
from parley.store.gil_yield import GilYielder
from parley.store.monotonic_clock import MonotonicClock
from parley.store.opened_files import OpenedFiles
from parley.store.queue_events import QueueEvents
from parley.store.sqlite.database.connection import SqliteLocation, open_reader, open_writer, prepare
from parley.store.sqlite.database.error_mapping import map_error
from parley.store.sqlite.database.file_lock import lock_database
from parley.store.sqlite.execution.reader import Reader
from parley.store.sqlite.execution.transaction import Transaction
from parley.store.sqlite.execution.writer import Writer
from parley.store.sqlite.operations import sql

_LOOK_EVERY = 0.01
"""Seconds between two looks at whether the files are in their places. To look before each acknowledgement
costs 2 % of an accept, and saves nothing: what was taken just before a deletion is lost with it.
"""


@dataclass(frozen=True, slots=True)
class SqliteEngine:
    """Who writes, who reads, and who is told."""

    writer: Writer
    reader: Reader
    wakeups: QueueEvents


@asynccontextmanager
async def run_engine(
    location: SqliteLocation,
    begin: Callable[[sqlite3.Connection], Transaction],
    outage: StoreOutage | None,
    wakeups: QueueEvents,
    *,
    exclusive: bool,
) -> AsyncIterator[SqliteEngine]:
    """Yield an engine on the file; on leaving, all that was handed over is committed.

    Who writes tells the `outage`.

    Raises StoreUnavailable, in one line, for whatever is in the way.
    """
    async with AsyncExitStack() as stack:
        try:
            engine = await _start(stack, location, begin, outage, wakeups, exclusive=exclusive)
        except (OSError, sqlite3.Error) as error:
            raise map_error(location.path, error) from error
        yield engine


async def _start(
    stack: AsyncExitStack,
    location: SqliteLocation,
    begin: Callable[[sqlite3.Connection], Transaction],
    outage: StoreOutage | None,
    wakeups: QueueEvents,
    *,
    exclusive: bool,
) -> SqliteEngine:
    await asyncio.to_thread(prepare, location)
    stack.enter_context(lock_database(location.path, exclusive=exclusive))
    breather = GilYielder()
    explain = partial(map_error, location.path)
    connection = await asyncio.to_thread(open_writer, location)
    log = location.path.with_name(location.path.name + "-wal")
    files = OpenedFiles(location.path, log, every=_LOOK_EVERY)
    writer = Writer(
        connection, begin, explain, wakeups.wake_at, breather, files.trouble, outage or StoreOutage()
    )
    stack.push_async_callback(writer.close)
    reader = Reader(await asyncio.to_thread(open_reader, location), explain, breather)
    stack.push_async_callback(reader.close)
    stack.callback(wakeups.wake_all)
    return SqliteEngine(writer, reader, wakeups)


async def take_over(engine: SqliteEngine, onward: MonotonicClock) -> None:
    """Go on from where an earlier process was."""
    onward.advance((await engine.reader.rows(sql.NEWEST))[0][0])
    await engine.writer.submit(lambda tx: tx.change(sql.FREE_EVERYBODY))
