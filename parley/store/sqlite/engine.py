"""The parts under a journal, from the lock on the file to the threads that use it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from parley.core.opened_files import OpenedFiles
from parley.store.breather import Breather
from parley.store.sqlite.connection import Location, open_reader, open_writer, prepare
from parley.store.sqlite.lock import owned
from parley.store.sqlite.reader import Reader
from parley.store.sqlite.transaction import Transaction
from parley.store.sqlite.trouble import unavailable
from parley.store.sqlite.writer import Writer
from parley.store.wakeups import Wakeups


@dataclass(frozen=True, slots=True)
class Engine:
    """Who writes, who reads, and who is told."""

    writer: Writer
    reader: Reader
    wakeups: Wakeups


@asynccontextmanager
async def running(
    location: Location, begin: Callable[[sqlite3.Connection], Transaction], *, exclusive: bool
) -> AsyncIterator[Engine]:
    """An engine on the file; on leaving, all that was handed over is committed.

    Raises StoreUnavailable, in one line, for whatever is in the way.
    """
    async with AsyncExitStack() as stack:
        try:
            engine = await _start(stack, location, begin, exclusive=exclusive)
        except (OSError, sqlite3.Error) as error:
            raise unavailable(location.path, error) from error
        yield engine


async def _start(
    stack: AsyncExitStack,
    location: Location,
    begin: Callable[[sqlite3.Connection], Transaction],
    *,
    exclusive: bool,
) -> Engine:
    await asyncio.to_thread(prepare, location)
    stack.enter_context(owned(location.path, exclusive=exclusive))
    wakeups, breather = Wakeups(), Breather()
    explain = partial(unavailable, location.path)
    connection = await asyncio.to_thread(open_writer, location)
    files = OpenedFiles(location.path, location.path.with_name(location.path.name + "-wal"))
    writer = Writer(connection, begin, explain, wakeups.wake_at, breather, files.trouble)
    stack.push_async_callback(writer.close)
    reader = Reader(await asyncio.to_thread(open_reader, location), explain, breather)
    stack.push_async_callback(reader.close)
    stack.callback(wakeups.wake_all)
    return Engine(writer, reader, wakeups)
