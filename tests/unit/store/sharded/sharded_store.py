"""The store over several databases, each a store of its own."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Self

from parley.core.model.usage import Usage
from parley.core.ports.feedback import NEWEST_FEEDBACK
from parley.core.ports.journal import (
    NEWEST_DEAD,
    Claim,
    CounterIncrement,
    Document,
    NewQueueItem,
    QueueItem,
)
from parley.core.ports.pubsub import Notifier
from parley.core.ports.store_admin import QueueBacklog, StoredItemPage
from parley.core.ports.subject_index import OLDEST
from parley.store.interface import Store
from parley.store.nodes import NodeRegistry
from tests.unit.store.sharded.outbox import OUTBOX, Changes, changes_by_place, hand_over, outbox_item
from tests.unit.store.sharded.placement import APART, FIRST, place_of_document, place_of_item, place_of_lane


class Moment:
    """The instants of a hand-over at which a test may kill the process."""

    COMMITTED, HANDED_OVER = "committed", "handed over"


async def _never_mind(moment: str) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class ShardedStore:
    """A conversation's lanes and record are in the database of its bucket, all else is in the first."""

    stores: tuple[Store, ...]
    reached: Callable[[str], Awaitable[None]] = _never_mind

    @classmethod
    @asynccontextmanager
    async def over(
        cls, stores: Sequence[Store], reached: Callable[[str], Awaitable[None]] = _never_mind
    ) -> AsyncIterator[Self]:
        """Over stores that are open; what one left to another is handed over meanwhile."""
        made = cls(tuple(stores), reached)
        workers = [asyncio.create_task(made._empty_outbox(store)) for store in stores]
        try:
            yield made
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def of_lane(self, queue: str, lane: str) -> Store:
        """The one that has a lane."""
        return self.stores[place_of_lane(queue, lane, len(self.stores))]

    def of_document(self, key: str) -> Store:
        """The one that has a document."""
        return self.stores[place_of_document(key, len(self.stores))]

    def of_item(self, item: int) -> Store:
        """The one that has an item."""
        return self.stores[place_of_item(item)]

    def of_claim(self, claim: Claim) -> Store:
        """The one that a claim is of."""
        return self.of_lane(claim.queue, claim.lane)

    async def _empty_outbox(self, home: Store) -> None:
        while True:
            for claim in await home.claim(OUTBOX, 20):
                target = self.stores[int(claim.lane.partition("/")[0])]
                for item in claim.items:
                    await self.reached(Moment.COMMITTED)
                    await hand_over(target, item)
                    await self.reached(Moment.HANDED_OVER)
                await home.done(claim, claim.items)
                # Texts within texts are not in the index of persons: nobody's erasure would find them.
                await home.remove([item.id for item in claim.items])
            await home.wait(OUTBOX, 5.0)

    # Lanes.

    async def put(self, *puts: NewQueueItem) -> tuple[int | None, ...]:
        """All of one database: several could not be one transaction (ValueError)."""
        (place,) = {place_of_lane(put.queue, put.lane, len(self.stores)) for put in puts} or {FIRST}
        return await self.stores[place].put(*puts)

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        claims: list[Claim] = []
        for store in self.stores:
            if len(claims) < limit:
                claims += await store.claim(queue, limit - len(claims))
        return tuple(claims)

    async def wait(self, queue: str, timeout: float) -> None:
        waits = [asyncio.create_task(store.wait(queue, timeout)) for store in self.stores]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

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
        """Finish items with what is of their database, and an item for each other database."""
        found = changes_by_place(puts, documents, tallies, len(self.stores))
        own = found.pop(place_of_lane(claim.queue, claim.lane, len(self.stores)), Changes())
        left = [outbox_item(claim, place, changes) for place, changes in found.items()]
        await self.of_claim(claim).done(
            claim,
            items,
            note=note,
            puts=(*own.puts, *left),
            documents=own.documents,
            tallies=own.tallies,
        )

    async def set_trials(self, claim: Claim, trials: int) -> None:
        await self.of_claim(claim).set_trials(claim, trials)

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        return await self.of_lane(queue, lane).waiting(queue, lane)

    async def note(self, claim: Claim, item: int, note: str) -> None:
        await self.of_claim(claim).note(claim, item, note)

    async def release(self, claim: Claim) -> None:
        await self.of_claim(claim).release(claim)

    async def retry(self, claim: Claim, delay: float) -> None:
        await self.of_claim(claim).retry(claim, delay)

    async def bury(self, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
        await self.of_claim(claim).bury(claim, items, reason)

    async def cancel(self, queue: str, lane: str, before: int) -> tuple[QueueItem, ...]:
        return await self.of_lane(queue, lane).cancel(queue, lane, before)

    async def withdraw(self, queue: str, lane: str, item: int) -> bool:
        return await self.of_lane(queue, lane).withdraw(queue, lane, item)

    # Documents.

    async def get(self, key: str) -> Document:
        return await self.of_document(key).get(key)

    async def get_all(self, keys: Sequence[str]) -> tuple[Document, ...]:
        found = [await store.get_all(keys) for store in self.stores]
        return tuple(found[place_of_document(key, len(found))][n] for n, key in enumerate(keys))

    async def set(self, document: Document) -> Document:
        return await self.of_document(document.key).set(document)

    async def delete(self, key: str) -> None:
        await self.of_document(key).delete(key)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        found = [each for store in self.stores for each in await store.list(prefix, limit, after)]
        return sorted(found, key=lambda document: document.key)[:limit]

    async def documents_about(
        self, names: Sequence[str], prefix: str, limit: int = 1000, after: str = ""
    ) -> Sequence[Document]:
        pages = [await store.documents_about(names, prefix, limit, after) for store in self.stores]
        return sorted((each for page in pages for each in page), key=lambda document: document.key)[:limit]

    async def documents_until(
        self, hour: int, prefix: str, limit: int = 1000, after: tuple[int, str] = OLDEST
    ) -> Sequence[tuple[int, Document]] | None:
        found: list[tuple[int, Document]] = []
        for store in self.stores:
            page = await store.documents_until(hour, prefix, limit, after)
            if page is None:
                return None
            found += page
        return sorted(found, key=lambda dated: (dated[0], dated[1].key))[:limit]

    async def feedback_before(
        self, before: tuple[float, str] = NEWEST_FEEDBACK, since: float = 0.0, limit: int = 1000
    ) -> Sequence[tuple[float, Document]]:
        return await self.stores[FIRST].feedback_before(before, since, limit)

    # Counts.

    async def tally(self, tallies: Sequence[CounterIncrement], once: str = "") -> bool:
        return await self.stores[FIRST].tally(tallies, once)

    async def counted(self, names: Sequence[str]) -> tuple[Usage, ...]:
        return await self.stores[FIRST].counted(names)

    async def uncount(self, prefixes: Sequence[str]) -> int:
        return await self.stores[FIRST].uncount(prefixes)

    # The operator's side.

    async def dead(self, limit: int = 100, before: tuple[float, int] = NEWEST_DEAD) -> tuple[QueueItem, ...]:
        found = [each for store in self.stores for each in await store.dead(limit, before)]
        return tuple(sorted(found, key=lambda item: (item.ended_at, item.id), reverse=True)[:limit])

    async def dead_beside(self, item: int) -> tuple[QueueItem, ...]:
        return await self.of_item(item).dead_beside(item)

    async def dead_by_queue(self) -> Mapping[str, int]:
        total: Counter[str] = Counter()
        for store in self.stores:
            total.update(await store.dead_by_queue())
        return total

    async def backlog(self) -> Mapping[str, QueueBacklog]:
        total: defaultdict[str, QueueBacklog] = defaultdict(lambda: QueueBacklog(0, 0.0))
        for store in self.stores:
            for queue, one in (await store.backlog()).items():
                before = total[queue]
                total[queue] = QueueBacklog(before.lanes + one.lanes, max(before.oldest, one.oldest))
        return total

    async def count_waiting(self, queue: str, most: int) -> int:
        return min(most, sum([await store.count_waiting(queue, most) for store in self.stores]))

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        found = [each for store in self.stores for each in await store.lanes_before(item, limit)]
        return sorted(found, reverse=True)[:limit]

    async def revive(self, item: int) -> bool:
        return await self.of_item(item).revive(item)

    async def discard(self, item: int) -> bool:
        return await self.of_item(item).discard(item)

    async def search(
        self, words: Sequence[str], lanes: Sequence[str] = (), after: int = 0, names: Sequence[str] = ()
    ) -> StoredItemPage:
        place = place_of_item(after)
        page = await self.stores[place].search(words, lanes, after, names)
        last = place + 1 == len(self.stores)
        return page if page.more or last else replace(page, after=(place + 1) * APART, more=True)

    async def remove(self, items: Sequence[int]) -> tuple[int, ...]:
        places = {place_of_item(item) for item in items}
        gone = [
            await self.stores[place].remove([item for item in items if place_of_item(item) == place])
            for place in places
        ]
        return tuple(item for some in gone for item in some)

    async def index_slice(self) -> bool:
        return any([await store.index_slice() for store in self.stores])

    # Nodes.

    @property
    def nodes(self) -> NodeRegistry:
        return self.stores[FIRST].nodes

    @property
    def news(self) -> Notifier:
        return self.stores[FIRST].news

    async def renew(self) -> None:
        for store in self.stores:
            await store.renew()

    async def prune(self, now: float) -> int:
        return sum([await store.prune(now) for store in self.stores])

    async def maintain(self, prune_every: float = 3600.0) -> None:
        await asyncio.gather(*(store.maintain(prune_every) for store in self.stores))
