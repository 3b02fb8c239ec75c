"""The Memory port: recalls for runs, records turns, and gives people their hands on what is remembered."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from parley.core.flow_control.quarantine import Quarantine
from parley.core.model.errors import MemoryFailed, ParleyError
from parley.core.model.types import CompletedTurn
from parley.core.ports.memory import (
    AccountUnlink,
    FactView,
    MemoryView,
    MergeOutcome,
    RecallQuery,
    UndoResult,
)
from parley.memory.admin import MemoryAdmin, fact_view, map_store_errors, nonempty_summaries
from parley.memory.cache import MemoryCache
from parley.memory.inject.block import build_block, by_confidence
from parley.memory.learning.extraction.extractor import Extractor
from parley.memory.learning.pipeline import LearningPipeline
from parley.memory.learning.queue import LearningJournal, LearningQueue
from parley.memory.learning.worker import LearningWorker
from parley.memory.model.document import MemoryDocument, StoredMemory
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import Groups, MemoryOptions, public_options
from parley.memory.person_state import PersonState, PersonStateStore
from parley.memory.repository import MemoryRepository
from parley.memory.search.semantic.scoring import PrecomputedScores, SemanticIndex, rank_blended
from parley.memory.storage.document_format import document_json
from parley.memory.storage.port import MemoryStore
from parley.memory.text.token_counting import token_counter

log = logging.getLogger(__name__)

# Recalls whose memory was not read in time, nor since: with more, the disk hangs, and nobody waits for it.
_MOST_LATE = 32
_DRAIN = 10.0


class MemoryService:
    """Remembers people in `store`; turns wait on `journal` until `extractor` has read them.

    `run` does the learning, `admin` is for operators. Methods raise MemoryFailed; `record` lets
    StoreUnavailable through, as every write of a turn does: the turn is taken up again then.
    """

    def __init__(
        self,
        store: MemoryStore,
        journal: LearningJournal,
        extractor: Extractor,
        options: MemoryOptions,
        clock: Callable[[], float] = time.time,
        affinities: SemanticIndex | None = None,
        quarantine: Quarantine | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        self._options = options
        self._affinities = affinities
        self._clock = clock
        self._extractor = extractor
        self._store = store
        self._people = MemoryCache(store)
        self._register = PersonStateStore(journal)
        self._counter = token_counter(options)
        self._holdings = MemoryRepository(self._people, self._register, options.max_facts)
        self._queue = LearningQueue(journal, options)
        shown = public_options(options)
        self.admin = MemoryAdmin(
            self, store, self._people, self._holdings, self._queue, clock, shown, extractor.name, secrets
        )
        lessons = LearningPipeline(self._people, self._register, extractor, self._counter, options, clock)
        self._worker = LearningWorker(
            journal, self._queue, lessons, options, self.admin.note_failure, quarantine
        )
        self._recalls: set[asyncio.Task[str]] = set()
        self._late: set[asyncio.Task[str]] = set()

    @property
    def enabled(self) -> bool:
        return self._options.enabled

    async def run(self) -> None:
        """Learn in the background until cancelled. Raises ConfigError when the model can never answer."""
        if not self.enabled:
            return
        await self._extractor.open()
        try:
            await self._worker.run()
        finally:
            for task in self._recalls:
                task.cancel()
            if self._affinities is not None:
                await asyncio.to_thread(self._affinities.close)

    async def drain(self, budget: float = _DRAIN) -> bool:
        """Begin no more lessons, and let those under way finish for `budget` seconds; False if they did not.

        Whatever is not learned yet waits on disk for the next start.
        """
        return await self._worker.drain(budget)

    @asynccontextmanager
    async def running(self, budget: float = _DRAIN) -> AsyncIterator[MemoryService]:
        """`run` while the block lasts, then `drain`. Raises what `run` raised, at the end."""
        task = asyncio.create_task(self.run())
        try:
            yield self
        finally:
            await self.drain(budget)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    # Recall and record.

    async def recall(self, occasion: RecallQuery) -> str:
        wanted = self.enabled and self._options.injection_enabled
        if not wanted or (not occasion.private and self._options.groups is Groups.OFF):
            return ""
        if len(self._late) >= _MOST_LATE:
            log.warning("nothing is recalled: %d earlier recalls hang", len(self._late))
            return ""
        read: asyncio.Future[StoredMemory] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._recalled(occasion, read))
        self._recalls.add(task)
        task.add_done_callback(self._back)
        await asyncio.wait({task}, timeout=self._options.recall_timeout)
        if not task.done():
            log.warning("person %s: recall takes too long; the run goes on", occasion.person)
            if read.done():
                return self._unranked(occasion, read.result())
            self._late.add(task)
            return ""
        error = task.exception()
        if error is not None:
            shown = None if isinstance(error, ParleyError) else error
            log.warning("person %s: nothing is recalled: %s", occasion.person, error, exc_info=shown)
            return ""
        return task.result()

    def _back(self, task: asyncio.Task[str]) -> None:
        self._recalls.discard(task)
        self._late.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asked may be gone

    async def _recalled(self, occasion: RecallQuery, read: asyncio.Future[StoredMemory]) -> str:
        """The block, best facts first; `read` gets the memory as soon as it is there."""
        options = self._options
        assistant = occasion.assistant if options.per_assistant else ""
        known = await self._people.recollect(occasion.person, assistant)
        stored = known.stored
        if stored.notes.off or stored.document == MemoryDocument():
            return ""
        read.set_result(stored)
        told = PrecomputedScores(await self._closeness(occasion, assistant, stored))
        facts = stored.document.facts
        if not known.is_ready(stored):
            self._people.prepare_next(known, stored, self._counter)
        return await known.quickly(
            stored,
            lambda index: build_block(
                stored.document,
                rank_blended(index, facts, occasion.messages, options, told),
                options,
                self._counter,
                private=occasion.private,
                lines=known.lines,
            ),
        )

    async def _closeness(
        self, occasion: RecallQuery, assistant: str, stored: StoredMemory
    ) -> Sequence[float]:
        """How close facts are in meaning, where that is known: nothing waits for it on the loop."""
        affinities = self._affinities
        if affinities is None:
            return ()
        key = _memory_key(occasion.person, assistant)
        return await asyncio.to_thread(affinities.of, key, occasion.messages, stored.document.facts)

    async def _forget_closeness(self, person: str) -> None:
        """Keep no vectors of what is forgotten; those of the rest are made again."""
        if self._affinities is not None:
            for assistant in ("", *(await self._register.of(person)).assistants):
                await asyncio.to_thread(self._affinities.forget, _memory_key(person, assistant))

    def _unranked(self, occasion: RecallQuery, stored: StoredMemory) -> str:
        """The block of a memory whose index is still being made: the surest facts first."""
        document = stored.document
        ranked = by_confidence(document.facts)
        return build_block(document, ranked, self._options, self._counter, private=occasion.private)

    async def record(self, turn: CompletedTurn) -> None:
        hidden = not turn.private and self._options.groups is Groups.OFF
        if not self.enabled or hidden or not turn.user_text.strip():
            return
        if not await self._is_off(turn.person):
            await self._queue.add(turn)

    async def _is_off(self, person: str) -> bool:
        """Whether they want nothing learned, as far as this process knows; the lesson looks again."""
        known = self._people.at_hand(person)
        try:
            return (known or await self._people.load(person)).notes.off
        except MemoryFailed:
            return False

    # A person's hands.

    async def overview(self, person: str) -> MemoryView:
        with map_store_errors():
            whole = await self._holdings.whole(person)
            waiting = len(await self._queue.waiting(person))
        facts = sorted(whole.document.facts, key=lambda fact: fact.created_at, reverse=True)
        return MemoryView(
            on=not whole.notes.off,
            summaries=tuple(nonempty_summaries(whole.document)),
            facts=tuple(map(fact_view, facts)),
            waiting=waiting,
        )

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        with map_store_errors():
            return tuple(map(fact_view, await self._holdings.search(person, words)))

    async def add(self, person: str, content: str, account: str = "") -> FactView:
        with map_store_errors():
            return fact_view(await self._holdings.add(person, content, self._now(), account=account))

    async def forget(self, person: str, words: str) -> Sequence[FactView]:
        with map_store_errors():
            gone = await self._holdings.forget(person, words, self._now())
            if gone:
                await self._forget_closeness(person)
            return tuple(map(fact_view, gone))

    async def forgettable(self, person: str, words: str) -> Sequence[FactView]:
        with map_store_errors():
            return tuple(map(fact_view, await self._holdings.forgettable(person, words)))

    async def undo(self, person: str) -> UndoResult:
        with map_store_errors():
            return await self._holdings.undo(person, self._now())

    async def switch(self, person: str, on: bool) -> None:
        with map_store_errors():
            await self._holdings.switch(person, on=on)
            self._people.drop(person)
            if not on:
                await self._queue.cancel(person)

    async def export(self, person: str) -> str:
        with map_store_errors():
            return document_json((await self._holdings.whole(person)).document)

    async def clear(self, person: str) -> int:
        with map_store_errors():
            await self._queue.discard_dead(person)
            if await self._is_stranger(person):
                return 0
            number = len((await self._holdings.whole(person)).document.facts)
            # First the bar, then what waits, then what is there: nothing can come back in between.
            await self._register.note_cleared(person, self._clock())
            await self._queue.cancel(person)
            await self._queue.discard_dead(person)  # once more: what just failed
            await self._forget_closeness(person)
            await self._store.erase(person)
        self._people.drop(person)
        return number

    async def _is_stranger(self, person: str) -> bool:
        """Whether nothing was ever noted of them, nor waits: then nothing is noted now."""
        noted = await self._register.of(person) != PersonState() or await self._queue.waiting(person)
        return not noted and not (await self._holdings.whole(person)).revision

    async def merge(self, source: str, into: str, account: str = "") -> MergeOutcome:
        if source == into:
            return MergeOutcome(0, 0)
        with map_store_errors():
            await self._queue.move(source, into)
            merged = await self._holdings.merge(source, into, self._now(), account)
            await self._forget_closeness(source)
        self._people.drop(source)
        return merged

    async def part(self, person: str, into: str, parting: AccountUnlink) -> int:
        with map_store_errors():
            await self._queue.part(person, into, parting.account)
            given = await self._holdings.part(person, into, parting, self._now())
            await self._forget_closeness(person)
        return given

    def _now(self) -> str:
        return format_timestamp(self._clock())


def _memory_key(person: str, assistant: str) -> str:
    return f"{person}/{assistant}" if assistant else person
