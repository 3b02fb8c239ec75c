"""A journal in front of the real one, that can be away, and that dies with its process."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from parley.core.model.errors import StoreUnavailable
from parley.core.model.usage import Usage
from parley.core.ports.feedback import NEWEST_FEEDBACK, FeedbackIndex
from parley.core.ports.journal import (
    NEWEST_DEAD,
    Claim,
    CounterIncrement,
    Document,
    Journal,
    NewQueueItem,
    QueueItem,
)
from parley.core.ports.store_admin import StoreAdmin, StoredItemPage
from parley.memory.learning.queue import LearningJournal


class UnreliableJournal(Journal):
    """The journal of one process.

    `refusals` is how many times `put` is going to fail; while `holding` is not set, `put` waits. `finished`
    counts finished turns by lane, `shown` what was shown of questions and noted as shown, `attempts` the
    puts. Nothing of it works after `die`.
    """

    def __init__(self, inner: Journal, news: Callable[[], None]) -> None:
        self._inner = inner
        self._news = news
        self.refusals = 0
        self.attempts = 0
        self.holding = asyncio.Event()
        self.holding.set()
        self.finished: Counter[str] = Counter()
        self.shown = 0
        self._ended = False

    def die(self) -> None:
        """The process ends here: whatever comes after this instant never reached the disk."""
        self._ended = True
        self.holding.set()

    @property
    def _alive(self) -> Journal:
        if self._ended:
            raise StoreUnavailable("this process is dead")
        return self._inner

    async def put(self, *puts: NewQueueItem) -> tuple[int | None, ...]:
        self.attempts += 1
        self._news()
        await self.holding.wait()
        if self.refusals > 0:
            self.refusals -= 1
            raise StoreUnavailable("no space left on device (on purpose)")
        return await self._alive.put(*puts)

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
        await self._alive.done(claim, items, note=note, puts=puts, documents=documents, tallies=tallies)
        self._count(claim)

    async def bury(self, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
        await self._alive.bury(claim, items, reason)
        self._count(claim)

    async def get(self, key: str) -> Document:
        return await self._alive.get(key)

    async def get_all(self, keys: Sequence[str]) -> tuple[Document, ...]:
        return await self._alive.get_all(keys)

    async def set(self, document: Document) -> Document:
        return await self._alive.set(document)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        return await self._alive.list(prefix, limit, after)

    async def delete(self, key: str) -> None:
        await self._alive.delete(key)

    async def feedback_before(
        self, before: tuple[float, str] = NEWEST_FEEDBACK, since: float = 0.0, limit: int = 1000
    ) -> Sequence[tuple[float, Document]]:
        return await cast("FeedbackIndex", self._alive).feedback_before(before, since, limit)

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        return await self._alive.claim(queue, limit)

    async def wait(self, queue: str, timeout: float) -> None:
        await self._alive.wait(queue, timeout)

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        return await self._alive.waiting(queue, lane)

    async def note(self, claim: Claim, item: int, note: str) -> None:
        await self._alive.note(claim, item, note)

    async def set_trials(self, claim: Claim, trials: int) -> None:
        await self._alive.set_trials(claim, trials)

    async def release(self, claim: Claim) -> None:
        await self._alive.release(claim)

    async def retry(self, claim: Claim, delay: float) -> None:
        await self._alive.retry(claim, delay)

    async def cancel(self, queue: str, lane: str, before: int) -> tuple[QueueItem, ...]:
        return await self._alive.cancel(queue, lane, before)

    async def withdraw(self, queue: str, lane: str, item: int) -> bool:
        return await self._alive.withdraw(queue, lane, item)

    async def dead(self, limit: int = 100, before: tuple[float, int] = NEWEST_DEAD) -> tuple[QueueItem, ...]:
        return await self._alive.dead(limit, before)

    async def dead_beside(self, item: int) -> tuple[QueueItem, ...]:
        return await self._alive.dead_beside(item)

    async def tally(self, tallies: Sequence[CounterIncrement], once: str = "") -> bool:
        return await self._alive.tally(tallies, once)

    async def counted(self, names: Sequence[str]) -> tuple[Usage, ...]:
        return await self._alive.counted(names)

    async def uncount(self, prefixes: Sequence[str]) -> int:
        return await self._alive.uncount(prefixes)

    async def search(
        self, words: Sequence[str], lanes: Sequence[str] = (), after: int = 0, names: Sequence[str] = ()
    ) -> StoredItemPage:
        return await cast("StoreAdmin", self._alive).search(words, lanes, after, names)

    async def discard(self, item: int) -> bool:
        return await cast("LearningJournal", self._alive).discard(item)

    def _count(self, claim: Claim) -> None:
        if claim.queue.startswith("turns"):
            self.finished[claim.lane] += 1
        self.shown += claim.lane.endswith("/show")
        self._news()
