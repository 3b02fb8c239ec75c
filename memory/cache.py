"""Cache of recently used memories, each with its search index and its rendered lines."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from parley.memory.edits.supersede import settle_older
from parley.memory.inject.line_cache import LineCache, Render
from parley.memory.model.document import (
    Fact,
    StoredMemory,
    combine_documents,
)
from parley.memory.search.index import FactIndex
from parley.memory.storage.port import MemoryStore
from parley.memory.text.token_counting import Counter
from parley.memory.worker_thread import Result, WorkerThread

_MOST_FACTS = 200_000
_EACH = 50  # weight of a memory besides its facts

# Up to so many facts are ranked on the loop, in 2 ms: a thread would take longer.
SMALL = 300
# Up to so many facts are settled on the loop; the first run with more does not wait for that.
_FEW = 50


class CachedMemory:
    """The memory as last loaded, and a search index that follows its facts.

    `lines` may be used only by the work given to `with_index` and `with_index_async`.
    """

    def __init__(self, thread: WorkerThread, render: Render) -> None:
        self.stored = StoredMemory()
        self._thread = thread
        self._index = FactIndex(())
        self._indexed: tuple[Fact, ...] = ()
        self._lock = threading.Lock()
        self._settling: dict[str, str] = {}
        self.was_settled = False
        self.lines = LineCache(render)

    @property
    def weight(self) -> int:
        """Return its size, in facts."""
        return max(len(self._indexed), len(self.stored.document.facts)) + _EACH

    def search(self, messages: Sequence[str], limit: int = 300) -> list[tuple[Fact, float]]:
        """Return the facts relevant to the messages, best first; see FactIndex. Blocks: on threads only."""
        return self.with_index(self.stored, lambda index: index.search(messages, limit))

    def with_index(self, stored: StoredMemory, work: Callable[[FactIndex], Result]) -> Result:
        """Call `work` with the index of a memory. Blocks: on threads only."""
        with self._lock:
            return work(self._up_to_date(stored))

    def is_indexed(self, stored: StoredMemory) -> bool:
        """Return whether the index is up to date with this memory."""
        return stored.document.facts is self._indexed

    def prepare(self, stored: StoredMemory, counter: Counter) -> None:
        """Index the memory and price its lines, for the next run. Blocks: on threads only."""

        def work(index: FactIndex) -> None:
            if len(index) <= SMALL:
                self.lines.price(stored.document.facts, counter)

        self.with_index(stored, work)

    async def with_index_async(self, stored: StoredMemory, work: Callable[[FactIndex], Result]) -> Result:
        """Call `work` with the index: on the loop where that is quick, else on a thread."""
        small = len(stored.document.facts) <= SMALL
        if small and self.is_indexed(stored) and self._lock.acquire(blocking=False):
            try:
                return work(self._index)
            finally:
                self._lock.release()
        return await self._thread.run_in_thread(lambda: self.with_index(stored, work))

    def settle(self, stored: StoredMemory) -> StoredMemory:
        """Return the memory with older contradictions settled by time. Blocks: on threads only, if large."""
        facts = stored.document.facts
        self.was_settled = True
        if len(self._settling) > 2 * len(facts) + _EACH:
            self._settling.clear()
        settled = settle_older(facts, self._settling)
        if settled == facts:
            return stored
        return replace(stored, document=replace(stored.document, facts=settled))

    def _up_to_date(self, stored: StoredMemory) -> FactIndex:
        facts = stored.document.facts
        if facts is not self._indexed:
            self._index.update(facts)
            self._indexed = facts
            self.lines.trim(2 * len(facts) + _EACH)
        return self._index


class MemoryCache:
    """LRU cache of memories by person and assistant, of at most 200,000 facts in all.

    An assistant's own memory ("" is the general one) is cached combined with the general one.
    """

    def __init__(self, store: MemoryStore, render: Render) -> None:
        self._store = store
        self._render = render
        self._thread = WorkerThread()
        # Runs never wait behind learning.
        self._recalling = WorkerThread()
        self._preparing: set[asyncio.Task[None]] = set()
        self._known: OrderedDict[tuple[str, str], CachedMemory] = OrderedDict()
        self._weights: dict[tuple[str, str], int] = {}
        self._room = 0  # the sum of the weights, kept: there may be thousands

    def render_with(self, render: Render) -> None:
        """Render lines in this way from now on."""
        self._render = render
        self._known.clear()
        self._weights.clear()
        self._room = 0

    async def load(self, person: str, assistant: str = "") -> StoredMemory:
        """Return the memory as stored now. Raises MemoryFailed."""
        return await self._store.load(person, assistant)

    async def save(self, person: str, stored: StoredMemory, assistant: str = "") -> StoredMemory:
        """Save if nobody else saved since it was read. Raises DocumentConflict, MemoryFailed."""
        return await self._store.save(person, stored, assistant)

    async def load_cached(self, person: str, assistant: str = "") -> CachedMemory:
        """Return the memory as stored now, with its index. Raises MemoryFailed."""
        stored = await self._load_combined(person, assistant)
        known = self._known.get((person, assistant))
        if known is None:
            known = self._known[person, assistant] = CachedMemory(self._recalling, self._render)
        if stored.revision != known.stored.revision or not stored.revision:
            known.stored = stored
            await self._settle(known, stored)
        if self._known.get((person, assistant)) is known:  # not removed meanwhile
            self._known.move_to_end((person, assistant))
            self._weigh((person, assistant), known)
        return known

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run slow work on the worker thread; see WorkerThread."""
        return await self._thread.run_in_thread(work)

    def prepare_next(self, known: CachedMemory, stored: StoredMemory, counter: Counter) -> None:
        """Prepare the memory for the next run, in the background."""
        task = asyncio.create_task(self.run_in_thread(partial(known.prepare, stored, counter)))
        self._preparing.add(task)
        task.add_done_callback(self._preparing.discard)

    def peek(self, person: str) -> StoredMemory | None:
        """Return the memory as last loaded into the cache, if it is there."""
        known = self._known.get((person, ""))
        return None if known is None else known.stored

    def drop(self, person: str) -> None:
        """Remove a person's memories from the cache."""
        for key in [key for key in self._known if key[0] == person]:
            del self._known[key]
            self._room -= self._weights.pop(key, 0)

    async def _settle(self, known: CachedMemory, stored: StoredMemory) -> None:
        """Settle contradictions: before this returns where that is quick, else in the background."""
        if len(stored.document.facts) <= _FEW:
            known.stored = known.settle(stored)
        else:
            task = asyncio.create_task(self._settle_later(known, stored))
            self._preparing.add(task)
            task.add_done_callback(self._preparing.discard)
            if known.was_settled:
                await asyncio.wait({task})

    async def _settle_later(self, known: CachedMemory, stored: StoredMemory) -> None:
        settled = await self._thread.run_in_thread(partial(known.settle, stored))
        if known.stored is stored:
            known.stored = settled

    async def _load_combined(self, person: str, assistant: str) -> StoredMemory:
        stored = await self._store.load(person, assistant)
        if not assistant:
            return stored
        general = await self._store.load(person)
        both = replace(stored.notes, off=stored.notes.off or general.notes.off)
        documents = (stored.document, general.document)
        return StoredMemory(combine_documents(documents), both, f"{general.revision} {stored.revision}")

    def _weigh(self, key: tuple[str, str], known: CachedMemory) -> None:
        """Count what a memory weighs now, and remove the longest unused ones where all are too much."""
        self._room += known.weight - self._weights.get(key, 0)
        self._weights[key] = known.weight
        while self._room > _MOST_FACTS and len(self._known) > 1:
            oldest, _ = self._known.popitem(last=False)
            self._room -= self._weights.pop(oldest, 0)
