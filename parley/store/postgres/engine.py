"""The parts under a journal: who writes, who reads, who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from parley.core.flow_control.store_outage import StoreOutage
from parley.store.postgres.database.connection import PostgresLocation, connect_migrated
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.notifications.listener import listen
from parley.store.postgres.notifications.notifier import PostgresNotifier
from parley.store.postgres.notifications.work_signals import WorkSignals
from parley.store.queue_events import QueueEvents

PARTING = 0.7
"""Seconds that closing waits for the server, once for the node's farewell and once for what is out."""

_HEARING = 5.0
"""Seconds that opening waits for the listener, so that no early notice is missed."""


@dataclass(frozen=True, slots=True)
class PostgresEngine:
    """Reads go beside the writes: a long batch does not hold them up. `news` is what other nodes tell.

    `signals` tells a node of work.
    """

    writer: Batcher
    reader: Batcher
    wakeups: QueueEvents
    news: PostgresNotifier
    signals: WorkSignals


@asynccontextmanager
async def run_engine(
    where: PostgresLocation,
    timeout: float,
    hearing: PostgresLocation,
    poll: float,
    outage: StoreOutage | None = None,
) -> AsyncIterator[PostgresEngine]:
    """Yield an engine on the database; on leaving, all that was handed over is committed, if it answers.

    `hearing` is where to listen: the same database, past a pooler in transaction mode. Who waits for work
    looks each `poll` seconds. Who writes and who reads tell the `outage`.

    Raises StoreUnavailable, in one line, for whatever is in the way.
    """
    connection = await connect_migrated(where)
    wakeups, listening = QueueEvents(poll), asyncio.Event()
    outage = outage or StoreOutage()
    writer = Batcher(where, timeout, connection, name="writer", outage=outage, writes=True)
    reader = Batcher(where, timeout, name="reader", outage=outage)
    news = PostgresNotifier(writer, where.schema, wakeups)
    signals = WorkSignals(writer, wakeups, where.schema)
    heard = {signals.channel: signals.take, where.schema: news.take}
    listener = asyncio.create_task(listen(hearing, news, heard, listening), name="parley-store-listener")
    engine = PostgresEngine(writer, reader, wakeups, news, signals)
    try:
        with suppress(TimeoutError):  # without a listener there is still the look now and then
            async with asyncio.timeout(_HEARING):
                await listening.wait()
        yield engine
    finally:
        await signals.close()
        await asyncio.gather(engine.writer.close(PARTING), engine.reader.close(PARTING))
        listener.cancel()
        await asyncio.wait([listener])
        wakeups.wake_all()
