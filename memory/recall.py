"""Recall: the memory block of a run, within a time limit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from parley.core.model.errors import ParleyError
from parley.core.ports.memory.port import RecallQuery
from parley.memory.cache import MemoryCache
from parley.memory.inject.block import build_block, by_confidence
from parley.memory.model.document import MemoryDocument, StoredMemory
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import Groups, MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.semantic.scoring import PrecomputedScores, SemanticIndex, rank_blended
from parley.memory.text.token_counting import Counter
from parley.memory.told_lines import ToldLines

log = logging.getLogger(__name__)

# Recalls that are still loading after their timeout. At this number the disk hangs: no further one starts.
_MOST_LATE = 32


class Recaller:
    """Builds memory blocks. A recall that takes longer than `recall_timeout` goes on in the background."""

    def __init__(
        self,
        cache: MemoryCache,
        counter: Counter,
        options: MemoryOptions,
        semantic: SemanticIndex | None,
        clock: Callable[[], float],
        told: ToldLines,
    ) -> None:
        self._told = told
        self._cache = cache
        self._counter = counter
        self._options = options
        self._semantic = semantic
        self._clock = clock
        self._recalls: set[asyncio.Task[str]] = set()
        self._late: set[asyncio.Task[str]] = set()

    async def recall(self, occasion: RecallQuery) -> str:
        """Return the block for a run; empty when there is nothing, or when it takes too long.

        What is told is noted, for the person who asks why.
        """
        block = await self._recall(occasion)
        if self._options.enabled:
            self._told.note(occasion.person, occasion.thread, block)
        return block

    async def _recall(self, occasion: RecallQuery) -> str:
        wanted = self._options.enabled and self._options.injection_enabled
        if not wanted or (not occasion.private and self._options.groups is Groups.OFF):
            return ""
        if len(self._late) >= _MOST_LATE:
            log.warning("nothing is recalled: %d earlier recalls hang", len(self._late))
            return ""
        read: asyncio.Future[StoredMemory] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._build_recall(occasion, read))
        self._recalls.add(task)
        task.add_done_callback(self._recall_ended)
        await asyncio.wait({task}, timeout=self._options.recall_timeout)
        if not task.done():
            log.warning("person %s: recall takes too long; the run goes on", occasion.person)
            if read.done():
                return self._block_by_confidence(occasion, read.result())
            self._late.add(task)
            return ""
        error = task.exception()
        if error is not None:
            shown = None if isinstance(error, ParleyError) else error
            log.warning("person %s: nothing is recalled: %s", occasion.person, error, exc_info=shown)
            return ""
        return task.result()

    def cancel(self) -> None:
        """Cancel the recalls under way."""
        for task in self._recalls:
            task.cancel()

    def _recall_ended(self, task: asyncio.Task[str]) -> None:
        self._recalls.discard(task)
        self._late.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, as the caller may be gone

    async def _build_recall(self, occasion: RecallQuery, read: asyncio.Future[StoredMemory]) -> str:
        """Return the block, best facts first; `read` gets the memory as soon as it is loaded."""
        options = self._options
        assistant = occasion.assistant if options.per_assistant else ""
        known = await self._cache.load_cached(occasion.person, assistant)
        stored = known.stored
        if stored.notes.off or stored.document == MemoryDocument():
            return ""
        read.set_result(stored)
        scores = PrecomputedScores(await self._semantic_scores(occasion, assistant, stored))
        facts = stored.document.facts
        if not known.is_indexed(stored):
            self._cache.prepare_next(known, stored, self._counter)

        def build(index: FactIndex) -> str:
            ranked = rank_blended(index, facts, occasion.messages, options, scores)
            return build_block(
                stored.document,
                ranked,
                options,
                self._counter,
                private=occasion.private,
                today=self._today(),
                lines=known.lines,
                concerned=self._is_concerned(index, occasion.messages),
            )

        return await known.with_index_async(stored, build)

    def _is_concerned(self, index: FactIndex, messages: Sequence[str]) -> bool:
        """Return whether the messages may concern anything remembered: by their words alone.

        Messages without words tell nothing, and meaning may be found where no word is.
        """
        judged = self._options.ranking is Ranking.RELEVANCE and self._semantic is None
        return not judged or not any(map(str.strip, messages)) or index.concerns(messages)

    async def _semantic_scores(
        self, occasion: RecallQuery, assistant: str, stored: StoredMemory
    ) -> Sequence[float]:
        """Return how close each fact is in meaning, computed on a thread; empty without a semantic index."""
        semantic = self._semantic
        if semantic is None:
            return ()
        key = memory_key(occasion.person, assistant)
        return await asyncio.to_thread(semantic.score, key, occasion.messages, stored.document.facts)

    def _block_by_confidence(self, occasion: RecallQuery, stored: StoredMemory) -> str:
        """Return the block of a memory whose index is still being made: the surest facts first."""
        document = stored.document
        ranked = by_confidence(document.facts)
        return build_block(
            document, ranked, self._options, self._counter, private=occasion.private, today=self._today()
        )

    def _today(self) -> str:
        """Return the date in UTC, as facts have it."""
        return format_timestamp(self._clock())[:10]


def memory_key(person: str, assistant: str) -> str:
    """Return the key of one memory in a semantic index."""
    return f"{person}/{assistant}" if assistant else person
