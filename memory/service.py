"""The memory service: implements the Memory port (recall, recording, and a person's edits)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from parley.core.flow_control.quarantine import Quarantine
from parley.core.model.errors import MemoryFailed
from parley.core.model.types import CompletedTurn
from parley.core.ports.memory.port import (
    AccountUnlink,
    FactView,
    MemoryNotices,
    MemoryView,
    MergeOutcome,
    RecallQuery,
    UndoResult,
)
from parley.core.ports.telemetry import NO_TELEMETRY, Telemetry
from parley.memory.admin import MemoryAdmin, fact_view, map_store_errors, memory_view
from parley.memory.cache import MemoryCache
from parley.memory.change_feed import MemoryChangeFeed, PublishingStore
from parley.memory.controls.service import MemoryControlsService
from parley.memory.inject.block import line_format
from parley.memory.learning.extraction.extractor import Extractor
from parley.memory.learning.pipeline import LearningPipeline
from parley.memory.learning.queue import LearningJournal, LearningQueue
from parley.memory.learning.worker import LearningWorker
from parley.memory.model.timestamps import format_timestamp
from parley.memory.notices import PersonNotices
from parley.memory.options import Groups, MemoryOptions
from parley.memory.past_turns.service import PastTurnService
from parley.memory.person_state import PersonStateStore
from parley.memory.recall import Recaller, memory_key
from parley.memory.repository import MemoryRepository
from parley.memory.search.semantic.scoring import SemanticIndex
from parley.memory.storage.document_format import document_json
from parley.memory.storage.port import MemoryStore
from parley.memory.text.token_counting import token_counter
from parley.memory.told_lines import ToldLines
from parley.memory.upkeep.fact_uses import FactUses
from parley.memory.upkeep.service import UpkeepService

_DRAIN = 10.0


class MemoryService:
    """Remembers people in `store`; turns wait on `journal` until `extractor` has read them.

    `run` does the learning, `admin` is for operators. Methods raise MemoryFailed; `record` lets
    StoreUnavailable through, as every write of a turn does: the turn is retried then.
    """

    def __init__(
        self,
        store: MemoryStore,
        journal: LearningJournal,
        extractor: Extractor,
        options: MemoryOptions,
        clock: Callable[[], float] = time.time,
        semantic: SemanticIndex | None = None,
        quarantine: Quarantine | None = None,
        secrets: Sequence[str] = (),
        telemetry: Telemetry = NO_TELEMETRY,
        changes: MemoryChangeFeed | None = None,
    ) -> None:
        self._changes = changes or MemoryChangeFeed()
        store = PublishingStore(store, self._changes.publish)
        self._semantic = semantic
        self._clock = clock
        self._store = store
        self._journal = journal
        self._quarantine = quarantine
        self._telemetry = telemetry
        self._cache = MemoryCache(store, line_format(options.injection_format))
        self._states = PersonStateStore(journal)
        self._told, self._uses = ToldLines(journal), FactUses()
        self._notices = PersonNotices(store, self._states, clock)
        self.controls = MemoryControlsService(self._cache, self._told, clock)
        self.past_turns = PastTurnService(journal, self._cache, self._states, options, clock)
        self._reconfigured, self._draining = asyncio.Event(), False
        self._arrange(options, extractor)
        self.admin = MemoryAdmin(
            self, store, self._cache, self._repository, self._queue, clock, options,
            extractor.name, secrets,
        )  # fmt: skip

    def _arrange(self, options: MemoryOptions, extractor: Extractor) -> None:
        counter = token_counter(options)
        self._options = options
        self._extractor = extractor
        self._repository = MemoryRepository(self._cache, self._states, options)
        self._queue = LearningQueue(self._journal, options, extractor.corrects, self._changes.publish)
        self._pipeline = LearningPipeline(self._cache, self._states, extractor, counter, options, self._clock)
        self.upkeep = UpkeepService(
            self._cache, self._repository, self._states, self._pipeline, extractor, counter, options,
            self._clock, self._told, self._uses,
        )  # fmt: skip
        self._worker = LearningWorker(
            self._journal, self._queue, self.upkeep, options, self._note_failure, self._quarantine,
            self._note_learned,
        )  # fmt: skip
        self._recaller = Recaller(self._cache, counter, options, self._semantic, self._clock, self._told)
        self.controls.reconfigure(self._repository, counter, options, self.upkeep.look_after_team)

    def _note_failure(self, text: str) -> None:
        self.admin.note_failure(text)

    def reconfigure(self, options: MemoryOptions, extractor: Extractor, secrets: Sequence[str]) -> None:
        """Let other options hold, except where memories are kept; a lesson under way ends with the old ones.

        `extractor` is open.
        """
        before, known = self._worker, self._options.injection_format
        if options.injection_format != known:
            self._cache.render_with(line_format(options.injection_format))
        self._arrange(options, extractor)
        self.past_turns.reconfigure(options)
        self.admin.reconfigure(self._repository, self._queue, options, extractor.name, secrets)
        before.close()
        self._reconfigured.set()

    @property
    def enabled(self) -> bool:
        return self._options.enabled

    async def run(self) -> None:
        """Learn in the background until cancelled. Raises ConfigError when the model can never answer."""
        try:
            if self.enabled:
                await self._extractor.open()
            while True:
                self._reconfigured.clear()
                if self.enabled:
                    await self._worker.run()
                if self._draining:
                    return
                await self._reconfigured.wait()
        finally:
            self._recaller.cancel()
            if self._semantic is not None:
                await asyncio.to_thread(self._semantic.close)

    async def learn_now(self, turn: CompletedTurn) -> MemoryView:
        """Learn from one turn at once, and return what is known then. Raises ConfigError, MemoryFailed."""
        await self._extractor.open()
        with map_store_errors():
            assistant = turn.assistant if self._options.per_assistant else ""
            await self._pipeline.learn(turn.person, assistant, [turn])
        return await self.overview(turn.person)

    async def drain(self, budget: float = _DRAIN) -> bool:
        """Start no more lessons; wait `budget` seconds for those in progress, and return whether they ended.

        Whatever is not learned yet waits on disk for the next start.
        """
        self._draining = True
        return await self._worker.drain(budget)

    @asynccontextmanager
    async def running(self, budget: float = _DRAIN) -> AsyncIterator[MemoryService]:
        """Run `run` while the block lasts, then `drain`. Raises what `run` raised, at the end."""
        task = asyncio.create_task(self.run())
        try:
            yield self
        finally:
            await self.drain(budget)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def recall(self, occasion: RecallQuery) -> str:
        return await self._recaller.recall(occasion)

    async def record(self, turn: CompletedTurn) -> None:
        hidden = not turn.private and self._options.groups is Groups.OFF
        if not self.enabled or hidden or not turn.user_text.strip():
            return
        if not await self._is_off(turn.person):
            await self._queue.add(turn)

    async def _is_off(self, person: str) -> bool:
        """Return whether they want nothing learned, as far as the cache knows; the worker checks again."""
        known = self._cache.peek(person)
        try:
            return (known or await self._cache.load(person)).notes.off
        except MemoryFailed:
            return False

    async def notices(self, person: str, said: str, *, private: bool) -> MemoryNotices:
        if not (self.enabled and (private or self._options.groups is not Groups.OFF)):
            return MemoryNotices()
        tells, wishes = private and self._options.first_use_notice, self._options.instructions
        noted = await self._notices.below_answer(person, said, tells=tells, instructions=wishes)
        return await self.upkeep.ask_below(noted, person, said) if private else noted

    async def overview(self, person: str) -> MemoryView:
        with map_store_errors():
            whole = await self._repository.load_merged(person)
            waiting = len(await self._queue.waiting(person))
        return memory_view(whole, waiting, self._extractor.name)

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        with map_store_errors():
            return tuple(map(fact_view, await self._repository.search(person, words)))

    async def add(self, person: str, content: str, account: str = "") -> FactView:
        with map_store_errors():
            return fact_view(await self._repository.add(person, content, self._now(), account=account))

    async def forget(self, person: str, words: str) -> Sequence[FactView]:
        with map_store_errors():
            gone = await self._repository.forget(person, words, self._now())
            if gone:
                await self._forget_vectors(person)
            views = tuple(map(fact_view, gone))
            await self.past_turns.forget(person, views, words)
            return views

    async def forgettable(self, person: str, words: str) -> Sequence[FactView]:
        with map_store_errors():
            return tuple(map(fact_view, await self._repository.forgettable(person, words)))

    async def undo(self, person: str) -> UndoResult:
        with map_store_errors():
            return await self._repository.undo(person, self._now())

    async def switch(self, person: str, on: bool) -> None:
        with map_store_errors():
            await self._repository.switch(person, on=on)
            self._cache.drop(person)
            if not on:
                await self._queue.cancel(person)

    async def export(self, person: str) -> str:
        with map_store_errors():
            return document_json((await self._repository.load_merged(person)).document)

    async def clear(self, person: str) -> int:
        with map_store_errors():
            # In this order nothing can be learned again in between: bar, queue, then the memory itself.
            await self._states.note_cleared(person, self._clock())
            waited = await self._queue.waiting(person)
            await self._queue.cancel(person)
            await self._queue.discard_dead(person)
            await self.past_turns.erase(person)
            await self._told.erase(person)
            if not waited and await self._is_unknown(person):
                return 0
            number = len((await self._repository.load_merged(person)).document.facts)
            await self._forget_vectors(person)
            self._uses.take(person)
            await self._store.erase(person)
        self._cache.drop(person)
        return number

    async def _forget_vectors(self, person: str) -> None:
        """Drop all vectors of a person; those of facts that stay are made again."""
        if self._semantic is not None:
            for assistant in ("", *(await self._states.get(person)).assistants):
                await asyncio.to_thread(self._semantic.forget, memory_key(person, assistant))

    async def _is_unknown(self, person: str) -> bool:
        """Return whether nothing was ever learned of them."""
        whole = await self._repository.load_merged(person)
        learned = whole.revision or whole.damaged or (await self._states.get(person)).assistants
        return not learned

    async def merge(self, source: str, into: str, account: str = "") -> MergeOutcome:
        if source == into:
            return MergeOutcome(0, 0)
        with map_store_errors():
            await self._queue.move(source, into)
            await self.past_turns.move(source, into)
            merged = await self._repository.merge(source, into, self._now(), account)
            await self._forget_vectors(source)
            await self._told.erase(source)
        self._cache.drop(source)
        return merged

    async def part(self, person: str, into: str, parting: AccountUnlink) -> int:
        with map_store_errors():
            await self._queue.split_account(person, into, parting.account)
            await self.past_turns.move(person, into, parting.account)
            given = await self._repository.split_account(person, into, parting, self._now())
            await self._forget_vectors(person)
        return given

    def _note_learned(self, put_at: float) -> None:
        self._telemetry.lesson_learned(max(0.0, self._clock() - put_at))

    def _now(self) -> str:
        return format_timestamp(self._clock())
