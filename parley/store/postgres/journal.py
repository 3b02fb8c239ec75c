"""The Journal port on PostgreSQL."""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Self

from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import DocumentConflict, LaneLost, StoreUnavailable
from parley.core.model.usage import Usage
from parley.core.ports.feedback import NEWEST_FEEDBACK
from parley.core.ports.journal import NEWEST_DEAD, Claim, CounterIncrement, Document, NewQueueItem, QueueItem
from parley.core.ports.lease import require_lease
from parley.core.ports.pubsub import Notifier
from parley.core.ports.store_admin import QueueBacklog, StoredItemPage
from parley.core.ports.subject_index import OLDEST
from parley.store.index_upkeep import keep_index
from parley.store.postgres.database.connection import parse_location
from parley.store.postgres.engine import PARTING, PostgresEngine, run_engine
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.postgres.in_doubt_claims import InDoubtClaims
from parley.store.postgres.lane_claims import LaneClaims
from parley.store.postgres.nodes import PostgresNodeRegistry
from parley.store.postgres.operations import item_search, subject_lookups
from parley.store.postgres.operations.calls import JournalCalls
from parley.store.postgres.operations.maintenance import prune_often, prune_store
from parley.store.retention import DEFAULT, Retention
from parley.store.rows import (
    Row,
    order_counters,
    order_documents,
    parse_dated_documents,
    parse_documents,
    parse_items,
)


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """Durable lanes and documents in one PostgreSQL database, for any number of nodes; made by `open`.

    Semantics as in store.interface.Store; texts must have no NUL, too (ValueError). A StoreUnavailable
    from a lost connection leaves open whether the operation happened: repeat it under its dedupe name.
    What is written for a claim whose tenure is over raises LaneLost, also where the claim is not given.
    """

    _engine: PostgresEngine
    _calls: JournalCalls
    _claims: LaneClaims
    _retention: Retention
    _clock: Callable[[], float] | None
    nodes: PostgresNodeRegistry

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        node: str = "",
        schema: str = "parley",
        lease: float = 15.0,
        poll: float = 1.0,
        timeout: float = 10.0,
        retention: Retention = DEFAULT,
        clock: Callable[[], float] | None = None,
        listen_url: str = "",
        outage: StoreOutage | None = None,
    ) -> AsyncIterator[Self]:
        """Yield the store in the database at `url`, in tables of `schema` that are made where there are none.

        `node` names this process among all ("": host, process id and chance). Its lanes are held for
        `lease` seconds from its last sign of life. `poll` seconds pass at most between looks of whoever
        waits, `timeout` before the server gives a statement up. Without `clock` the server's own counts.
        `listen_url` is the server itself where `url` is a pooler in transaction mode. The `outage` is told
        when the database is away.
        Raises StoreUnavailable, in one line, for whatever is in the way.
        """
        node = node or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}"
        calls = JournalCalls(schema, node)
        where = parse_location(url, schema)
        hearing = parse_location(listen_url or url, schema)
        async with run_engine(where, timeout, hearing, poll, outage) as engine:
            nodes = PostgresNodeRegistry(engine, schema, node, lease, clock)
            await nodes.read_clock()
            try:
                claims = LaneClaims(engine, calls, nodes, lease, InDoubtClaims(3 * timeout))
                yield cls(engine, calls, claims, retention, clock, nodes)
            finally:
                with suppress(StoreUnavailable, TimeoutError):
                    async with asyncio.timeout(PARTING):
                        await engine.writer.submit(calls.leave())

    @property
    def news(self) -> Notifier:
        """What the nodes tell each other."""
        return self._engine.news

    def _now(self) -> float | None:
        return None if self._clock is None else self._clock()

    async def _write(self, call: SqlCall) -> list[Row]:
        return await self._engine.writer.submit(call)

    async def _read(self, call: SqlCall) -> list[Row]:
        return await self._engine.reader.submit(call)

    # Lanes: see core.ports.journal.Journal.

    async def put(self, *puts: NewQueueItem) -> tuple[int | None, ...]:
        require_lease()
        if not puts:
            return ()
        ((ids, due),) = await self._write(self._calls.put(puts, self._now()))
        self._engine.signals.ready((put.queue for put in puts), due)
        return tuple(ids)

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        return await self._claims.claim(queue, limit, self._now())

    async def set_trials(self, claim: Claim, trials: int) -> None:
        await self._held(claim, self._calls.set_trials(claim, trials))

    async def wait(self, queue: str, timeout: float) -> None:
        async def due_in() -> float:
            due: float | None = (await self._read(self._calls.next_ready(queue, self._now())))[0][0]
            return math.inf if due is None else due

        await self._engine.wakeups.wait_for_work(queue, timeout, due_in)

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        return parse_items(await self._read(self._calls.waiting(queue, lane)))

    async def note(self, claim: Claim, item: int, note: str) -> None:
        await self._held(claim, self._calls.note(claim, item, note))

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
        call = self._calls.done(claim, items, note, puts, documents, tallies, self._now())
        self._give_up(await self._held(claim, call), (claim.queue, *(put.queue for put in puts)))

    async def release(self, claim: Claim) -> None:
        await self._write(self._calls.release(claim))

    async def retry(self, claim: Claim, delay: float) -> None:
        self._give_up(await self._held(claim, self._calls.retry(claim, delay, self._now())), (claim.queue,))

    async def bury(self, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
        """Leave an item waiting that was replaced meanwhile. Raises LaneLost as `done` does."""
        await self._held(claim, self._calls.bury(claim, items, reason, self._now()))

    def _give_up(self, row: Row, queues: Iterable[str]) -> None:
        self._engine.signals.count(-1)
        self._engine.signals.ready(queues, row[1])

    async def _held(self, claim: Claim, call: SqlCall) -> Row:
        """Do what only a lane's holder may; returns the answer. Raises LaneLost, DocumentConflict."""
        (row,) = await self._write(call)
        answer, _, key = str(row[0]).partition(" ")
        if answer == "lost":
            raise LaneLost(f"lane {claim.lane} of {claim.queue} is no longer held")
        if answer == "gone":
            raise LaneLost("every item was cancelled")
        if answer == "conflict":
            raise DocumentConflict(f"{key} changed since it was read")
        return row

    async def cancel(self, queue: str, lane: str, before: int) -> tuple[QueueItem, ...]:
        require_lease()
        return parse_items(await self._write(self._calls.cancel(queue, lane, before, self._now())))

    async def withdraw(self, queue: str, lane: str, item: int) -> bool:
        return bool((await self._write(self._calls.withdraw(queue, lane, item, self._now())))[0][0])

    # Documents: see core.ports.journal.DocumentRepository.

    async def get(self, key: str) -> Document:
        return order_documents([key], await self._read(self._calls.get(key)))[0]

    async def get_all(self, keys: Sequence[str]) -> tuple[Document, ...]:
        return order_documents(keys, await self._read(self._calls.get_all(keys)))

    async def set(self, document: Document) -> Document:
        require_lease()
        version = (await self._write(self._calls.set(document)))[0][0]
        if version is None:
            raise DocumentConflict(f"{document.key} changed since it was read")
        return replace(document, version=version)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        return parse_documents(await self._read(self._calls.list(prefix, limit, after)))

    async def delete(self, key: str) -> None:
        require_lease()
        await self._write(self._calls.delete(key))

    async def feedback_before(
        self, before: tuple[float, str] = NEWEST_FEEDBACK, since: float = 0.0, limit: int = 1000
    ) -> Sequence[tuple[float, Document]]:
        return parse_dated_documents(await self._read(self._calls.feedback_before(before, since, limit)))

    # Counts: see core.ports.journal.Journal.

    async def tally(self, tallies: Sequence[CounterIncrement], once: str = "") -> bool:
        return bool((await self._write(self._calls.tally(tallies, once, self._now())))[0][0])

    async def counted(self, names: Sequence[str]) -> tuple[Usage, ...]:
        return order_counters(names, await self._read(self._calls.counted(names)))

    async def uncount(self, prefixes: Sequence[str]) -> int:
        return int((await self._write(self._calls.uncount(prefixes)))[0][0])

    # The operator's side: see store.interface.Store.

    async def dead(self, limit: int = 100, before: tuple[float, int] = NEWEST_DEAD) -> tuple[QueueItem, ...]:
        return parse_items(await self._read(self._calls.dead(limit, before)))

    async def dead_beside(self, item: int) -> tuple[QueueItem, ...]:
        return parse_items(await self._read(self._calls.dead_beside(item)))

    async def dead_by_queue(self) -> Mapping[str, int]:
        return dict(await self._read(self._calls.dead_by_queue()))

    async def backlog(self) -> Mapping[str, QueueBacklog]:
        rows = await self._read(self._calls.backlog(self._now()))
        return {queue: QueueBacklog(lanes, oldest) for queue, lanes, oldest in rows}

    async def count_waiting(self, queue: str, most: int) -> int:
        return int((await self._read(self._calls.count_waiting(queue, most)))[0][0])

    async def revive(self, item: int) -> bool:
        return bool((await self._write(self._calls.revive(item, self._now())))[0][0])

    async def discard(self, item: int) -> bool:
        return bool(await self._write(self._calls.discard(item)))

    # Everything there is: see core.ports.store_admin.

    async def search(
        self, words: Sequence[str], lanes: Sequence[str] = (), after: int = 0, names: Sequence[str] = ()
    ) -> StoredItemPage:
        where, now = self._calls.schema, self._now()
        return await subject_lookups.search_items(where, self._read, words, lanes, after, names, now)

    async def documents_about(
        self, names: Sequence[str], prefix: str, limit: int = 1000, after: str = ""
    ) -> Sequence[Document]:
        where = self._calls.schema
        found = await subject_lookups.find_documents(where, self._read, names, prefix, limit, after)
        return await self.list(prefix, limit, after) if found is None else found

    async def documents_until(
        self, hour: int, prefix: str, limit: int = 1000, after: tuple[int, str] = OLDEST
    ) -> Sequence[tuple[int, Document]] | None:
        look = subject_lookups.documents_until
        return await look(self._calls.schema, self._read, hour, prefix, limit, after)

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        call = item_search.lanes_before_call(self._calls.schema, item, limit)
        return [(number, queue, lane) for number, queue, lane in await self._read(call)]

    async def index_slice(self) -> bool:
        return await subject_lookups.index_next_rows(self._calls.schema, self._read, self._write)

    async def remove(self, items: Sequence[int]) -> tuple[int, ...]:
        return await item_search.remove(self._calls.schema, self._write, items, self._now())

    async def renew(self) -> None:
        await self.nodes.renew()

    async def prune(self, now: float) -> int:
        return await prune_store(self._calls.schema, self._write, self._retention, now)

    async def maintain(self, prune_every: float = 3600.0) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.nodes.keep_alive())
            group.create_task(keep_index(self))
            clock = self.nodes.shared_clock(time.time)
            group.create_task(prune_often(lambda: self.prune(clock()), prune_every))
