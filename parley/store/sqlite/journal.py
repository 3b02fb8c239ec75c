"""The Journal port on SQLite."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import LaneLost, StoreUnavailable
from parley.core.model.usage import Usage
from parley.core.ports.feedback import NEWEST_FEEDBACK
from parley.core.ports.journal import (
    NEWEST_DEAD,
    Claim,
    CounterIncrement,
    Document,
    NewQueueItem,
    QueueItem,
    log_store_failure,
)
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.ports.store_admin import QueueBacklog, StoredItemPage
from parley.core.ports.subject_index import OLDEST
from parley.store.index_upkeep import keep_index
from parley.store.monotonic_clock import MonotonicClock
from parley.store.nodes import NodeRegistry, SingleNodeRegistry
from parley.store.queue_events import QueueEvents
from parley.store.retention import DEFAULT, Retention
from parley.store.rows import order_counters, order_documents, parse_documents, parse_items
from parley.store.sqlite.database.connection import SqliteLocation
from parley.store.sqlite.engine import SqliteEngine, run_engine, take_over
from parley.store.sqlite.execution.transaction import Transaction
from parley.store.sqlite.operations import counters as counts
from parley.store.sqlite.operations import (
    documents,
    item_search,
    lanes,
    maintenance,
    puts,
    sql,
    subject_index,
)

log = logging.getLogger("parley.store")


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Durable lanes and documents in one SQLite file, made by `open`; semantics as in store.interface."""

    _engine: SqliteEngine
    _node: str
    _lease: float
    _retention: Retention
    _clock: Callable[[], float]

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: Path | str,
        *,
        node: str = "",
        exclusive: bool = True,
        lease: float = 15.0,
        retention: Retention = DEFAULT,
        clock: Callable[[], float] = time.time,
        busy_timeout: float = 5.0,
        max_pages: int = 0,
        outage: StoreOutage | None = None,
    ) -> AsyncIterator[Self]:
        """Yield the store in the file `path`, which is made with its folder where there is none.

        Alone (the default), whatever an earlier process held is free at once, leases never lapse, and a
        clock that is put back holds up nothing.
        With `exclusive=False` several nodes, each with a name of its own, share the file and hold their
        lanes for `lease` seconds at a time. `max_pages` bounds the file (0: only the disk does). The
        `outage` is told when nothing can be written. Raises StoreUnavailable, in one line.
        """
        node, lease = node or f"process {os.getpid()}", math.inf if exclusive else lease
        poll = 60.0 if exclusive else 0.05  # seconds between looks: nobody tells us what other nodes do
        onward = MonotonicClock(clock)
        clock = onward if exclusive else clock  # nodes that share a file share its time

        def begin(connection: sqlite3.Connection) -> Transaction:
            return Transaction(connection, node, now := clock(), now + lease)

        location, wakeups = SqliteLocation(Path(path), busy_timeout, max_pages), QueueEvents(poll, clock)
        async with run_engine(location, begin, outage, wakeups, exclusive=exclusive) as engine:
            if exclusive:
                await take_over(engine, onward)
            try:
                yield cls(engine, node, lease, retention, clock)
            finally:
                with suppress(StoreUnavailable):
                    await engine.writer.submit(lambda tx: tx.change(sql.FREE_NODE, node))

    @property
    def nodes(self) -> NodeRegistry:
        """The process that has the file."""
        return SingleNodeRegistry(self._node)

    @property
    def news(self) -> Notifier:
        """Nobody is told."""
        return NULL_NOTIFIER

    # Lanes: see core.ports.journal.Journal.

    async def put(self, *puts_: NewQueueItem) -> tuple[int | None, ...]:
        return await self._engine.writer.submit(puts.Puts(puts_))

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        """Claim at most 100 items of a lane. Cancelling the call gives back what it may yet have claimed."""
        self._engine.wakeups.begin_claim(queue)
        future = self._engine.writer.submit(lambda tx: lanes.claim(tx, queue, limit))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(self._give_back)
            raise

    def _give_back(self, claimed: asyncio.Future[tuple[Claim, ...]]) -> None:
        if claimed.cancelled() or claimed.exception() is not None:
            return
        with suppress(StoreUnavailable):  # closed: whoever opens it next frees them
            for claim in claimed.result():
                self._engine.writer.submit(partial(lanes.release, claim=claim))

    async def set_trials(self, claim: Claim, trials: int) -> None:
        await self._engine.writer.submit(lambda tx: lanes.set_trials(tx, claim, trials))

    async def wait(self, queue: str, timeout: float) -> None:
        async def due_in() -> float:
            ready_at = (await self._engine.reader.rows(sql.NEXT_READY, queue))[0][0]
            return math.inf if ready_at is None else ready_at - self._clock()

        await self._engine.wakeups.wait_for_work(queue, timeout, due_in)

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        return parse_items(await self._engine.reader.rows(sql.WAITING, queue, lane))

    async def note(self, claim: Claim, item: int, note: str) -> None:
        if not await self._engine.writer.submit(lanes.Note(claim, item, note)):
            raise LaneLost(f"item {item} was cancelled")

    async def done(
        self,
        claim: Claim,
        items: Sequence[QueueItem],
        *,
        note: str | None = None,
        puts: Sequence[NewQueueItem] = (),
        documents: Sequence[Document] = (),
        tallies: Sequence[CounterIncrement] = (),
    ) -> None:
        """Finish `items`. Raises LaneLost, too, when every one of them was cancelled meanwhile."""
        finish = lanes.Finish(claim, tuple(items), note, tuple(puts), tuple(documents), tuple(tallies))
        if not await self._engine.writer.submit(lambda tx: lanes.done(tx, finish)):
            raise LaneLost("every item was cancelled")

    async def release(self, claim: Claim) -> None:
        await self._engine.writer.submit(lambda tx: lanes.release(tx, claim))

    async def retry(self, claim: Claim, delay: float) -> None:
        await self._engine.writer.submit(lambda tx: lanes.retry(tx, claim, delay))

    async def bury(self, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
        """Leave an item waiting that was replaced meanwhile. Raises LaneLost as `done` does."""
        dead = tuple(items)
        if not await self._engine.writer.submit(lambda tx: lanes.bury(tx, claim, dead, reason)):
            raise LaneLost("every item was cancelled")

    async def cancel(self, queue: str, lane: str, before: int) -> tuple[QueueItem, ...]:
        return await self._engine.writer.submit(lambda tx: lanes.cancel(tx, queue, lane, before))

    async def withdraw(self, queue: str, lane: str, item: int) -> bool:
        return await self._engine.writer.submit(lambda tx: lanes.withdraw(tx, queue, lane, item))

    # Documents: see core.ports.journal.DocumentRepository.

    async def get(self, key: str) -> Document:
        return order_documents([key], await self._engine.reader.rows(sql.GET, key))[0]

    async def get_all(self, keys: Sequence[str]) -> tuple[Document, ...]:
        return order_documents(keys, await self._engine.reader.rows(sql.GET_ALL, json.dumps(list(keys))))

    async def set(self, document: Document) -> Document:
        return await self._engine.writer.submit(lambda tx: documents.write(tx, document))

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        rows = await self._engine.reader.rows(sql.LIST, *documents.page_range(prefix, after), limit)
        return parse_documents(rows)

    async def delete(self, key: str) -> None:
        await self._engine.writer.submit(lambda tx: documents.delete(tx, key))

    async def feedback_before(
        self, before: tuple[float, str] = NEWEST_FEEDBACK, since: float = 0.0, limit: int = 1000
    ) -> Sequence[tuple[float, Document]]:
        return await documents.feedback_before(self._engine.reader, before, since, limit)

    # Counts: see core.ports.journal.Journal.

    async def tally(self, tallies: Sequence[CounterIncrement], once: str = "") -> bool:
        return await self._engine.writer.submit(lambda tx: counts.tally(tx, tallies, once))

    async def counted(self, names: Sequence[str]) -> tuple[Usage, ...]:
        return order_counters(names, await self._engine.reader.rows(sql.TALLIED, json.dumps(list(names))))

    async def uncount(self, prefixes: Sequence[str]) -> int:
        return await self._engine.writer.submit(lambda tx: counts.uncount(tx, prefixes))

    # The operator's side: see store.interface.Store.

    async def dead(self, limit: int = 100, before: tuple[float, int] = NEWEST_DEAD) -> tuple[QueueItem, ...]:
        return parse_items(await self._engine.reader.rows(sql.DEAD, *before, limit))

    async def dead_beside(self, item: int) -> tuple[QueueItem, ...]:
        return parse_items(await self._engine.reader.rows(sql.DEAD_BESIDE, item))

    async def dead_by_queue(self) -> Mapping[str, int]:
        return dict(await self._engine.reader.rows(sql.DEAD_BY_QUEUE))

    async def backlog(self) -> Mapping[str, QueueBacklog]:
        now = self._clock()
        rows = await self._engine.reader.rows(sql.BACKLOG, now, now)
        return {queue: QueueBacklog(lanes, oldest) for queue, lanes, oldest in rows}

    async def count_waiting(self, queue: str, most: int) -> int:
        return int((await self._engine.reader.rows(sql.COUNT_WAITING, queue, most))[0][0])

    async def revive(self, item: int) -> bool:
        return await self._engine.writer.submit(lambda tx: maintenance.revive(tx, item))

    async def discard(self, item: int) -> bool:
        return await self._engine.writer.submit(lambda tx: maintenance.discard(tx, item))

    # Everything there is: see core.ports.store_admin.

    async def search(
        self, words: Sequence[str], lanes: Sequence[str] = (), after: int = 0, names: Sequence[str] = ()
    ) -> StoredItemPage:
        return await subject_index.search(self._engine.reader, words, lanes, after, names, self._clock())

    async def documents_about(
        self, names: Sequence[str], prefix: str, limit: int = 1000, after: str = ""
    ) -> Sequence[Document]:
        return await subject_index.documents_about(self._engine.reader, names, prefix, limit, after)

    async def documents_until(
        self, hour: int, prefix: str, limit: int = 1000, after: tuple[int, str] = OLDEST
    ) -> Sequence[tuple[int, Document]] | None:
        return await subject_index.documents_until(self._engine.reader, hour, prefix, limit, after)

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        return await item_search.lanes_before(self._engine.reader, item, limit)

    async def index_slice(self) -> bool:
        return await self._engine.writer.submit(subject_index.index_slice)

    async def remove(self, items: Sequence[int]) -> tuple[int, ...]:
        return await self._engine.writer.submit(lambda tx: item_search.remove(tx, items))

    async def renew(self) -> None:
        if math.isfinite(self._lease):
            await self._engine.writer.submit(lambda tx: tx.change(sql.RENEW, tx.lease_until, self._node))

    async def prune(self, now: float) -> int:
        return await maintenance.prune_store(self._engine.writer, self._retention, now)

    async def maintain(self, prune_every: float = 3600.0) -> None:
        """Index, renew leases and prune, until cancelled; a store that is out of reach is tried again."""
        async with asyncio.TaskGroup() as group:
            group.create_task(keep_index(self))
            group.create_task(self._renew_and_prune(prune_every))

    async def _renew_and_prune(self, prune_every: float) -> None:
        loop = asyncio.get_running_loop()
        next_prune = loop.time()
        while True:
            try:
                await self.renew()
                if loop.time() >= next_prune:
                    next_prune = loop.time() + prune_every
                    await self.prune(self._clock())
            except StoreUnavailable as error:
                log_store_failure(log.warning, "%s", error)
            await asyncio.sleep(min(self._lease / 3, prune_every))
