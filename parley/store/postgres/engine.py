"""The parts under a journal: who writes, who reads, who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from parley.store.postgres.batcher import Batcher
from parley.store.postgres.connection import Location, prepared
from parley.store.postgres.listener import listen
from parley.store.postgres.news import PostgresNews
from parley.store.wakeups import Wakeups

_HEARING = 5.0
"""Seconds that opening waits for the listener, so that no early notice is missed."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Reads go beside the writes: a long batch does not hold them up. `news` is what other nodes tell."""

    writer: Batcher
    reader: Batcher
    wakeups: Wakeups
    news: PostgresNews


@asynccontextmanager
async def running(where: Location, timeout: float, hearing: Location) -> AsyncIterator[Engine]:
    """An engine on the database; on leaving, all that was handed over is committed.

    `hearing` is where to listen: the same database, past a pooler in transaction mode.

    Raises StoreUnavailable, in one line, for whatever is in the way.
    """
    connection = await prepared(where)
    wakeups, listening = Wakeups(), asyncio.Event()
    writer = Batcher(where, timeout, connection)
    news = PostgresNews(writer, where.schema, wakeups)
    listener = asyncio.create_task(listen(hearing, news, listening), name="parley-store-listener")
    engine = Engine(writer, Batcher(where, timeout), wakeups, news)
    try:
        with suppress(TimeoutError):  # without a listener there is still the look now and then
            async with asyncio.timeout(_HEARING):
                await listening.wait()
        yield engine
    finally:
        await engine.writer.close()
        await engine.reader.close()
        listener.cancel()
        await asyncio.wait([listener])
        wakeups.wake_all()
