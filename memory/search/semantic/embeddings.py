"""Optional semantic index of facts, by embeddings.

No run waits for vectors of facts: they are made in the background, one person after the other. Until they
exist, and whenever something fails, only full-text scores count.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from parley.core.model.errors import MemoryFailed
from parley.memory.model.document import Fact
from parley.memory.search.semantic.embedders import Embedder
from parley.memory.search.semantic.vector_store import Array, VectorStore
from parley.memory.storage.folder_names import folder_name
from parley.memory.text.search_terms import terms

_log = logging.getLogger(__name__)

PAUSE = 60.0
"""Seconds without a retry after an embedder failed."""
# Weight of a message relative to the next one, where that has three terms or more.
_AGED = 0.3
_SAYS_SOMETHING = 3
_MESSAGES = 5
_PEOPLE = 500


class EmbeddingIndex:
    """Scorers by memory, with vectors kept under `folder`; `clock` is monotonic, in seconds."""

    def __init__(self, embedder: Embedder, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.embedder = embedder
        self._folder = folder
        self._clock = clock
        self._again_at = -math.inf
        self._scorers: OrderedDict[str, EmbeddingScorer] = OrderedDict()
        self._guard = threading.Lock()
        # One at a time: a model takes a whole core, and a service its own limits.
        self._worker = ThreadPoolExecutor(1, "parley-embedding")
        self._closed = False

    def scorer_for(self, key: str) -> EmbeddingScorer:
        """Return the scorer of one memory (a person's, or theirs with one assistant)."""
        with self._guard:
            if key not in self._scorers:
                file = self._folder / folder_name(key) / f"{folder_name(self.embedder.name)}.npz"
                self._scorers[key] = EmbeddingScorer(self, VectorStore(file))
            self._scorers.move_to_end(key)
            if len(self._scorers) > _PEOPLE:
                self._scorers.popitem(last=False)
            return self._scorers[key]

    def score(self, key: str, messages: Sequence[str], facts: Sequence[Fact]) -> Sequence[float]:
        """Score as SemanticIndex does."""
        return self.scorer_for(key).score(messages, facts)

    def forget(self, key: str) -> None:
        """Drop all vectors of a memory; those of facts that stay are made again when needed."""
        self.scorer_for(key).sync(())

    def embed(self, texts: Sequence[str]) -> Array:
        """Embed, but fail at once for a while after a failure. Raises MemoryFailed."""
        if self._clock() < self._again_at:
            raise MemoryFailed("the embedder failed a moment ago")
        try:
            return self.embedder.embed(texts)
        except MemoryFailed:
            self._again_at = self._clock() + PAUSE
            raise

    def run_in_background(self, work: Callable[[], None]) -> None:
        """Run `work` in the background; once closed, not at all."""
        with self._guard:
            if not self._closed:
                self._worker.submit(work)

    def close(self) -> None:
        """Finish work in progress, and drop what waits."""
        with self._guard:
            self._closed = True
        self._worker.shutdown(wait=True, cancel_futures=True)


class EmbeddingScorer:
    """Implements SemanticScorer (memory/search/semantic/scoring.py) for one memory."""

    def __init__(self, index: EmbeddingIndex, vectors: VectorStore) -> None:
        self._index = index
        self._vectors = vectors
        self._asked = threading.Lock()

    def score(self, messages: Sequence[str], facts: Sequence[Fact]) -> Sequence[float]:
        texts = [fact.content for fact in facts]
        close = self._close(messages, texts)
        readable = list(filter(self._index.embedder.reads, texts))
        if self._vectors.missing(readable) or self._vectors.stale(readable):
            self._schedule_sync(facts)
        return close

    def _close(self, messages: Sequence[str], texts: Sequence[str]) -> Sequence[float]:
        said = [each for each in messages[-_MESSAGES:] if each.strip()]
        if not said or not self._index.embedder.reads(said[-1]):
            return ()
        try:
            query = self._query(said)
        except MemoryFailed as error:
            _log.warning("facts are ranked by words alone: %s", error)
            return ()
        return self._vectors.close_to(query, texts)

    def sync(self, facts: Sequence[Fact]) -> None:
        """Make the vectors of these facts, and drop all others; blocks. Raises MemoryFailed."""
        readable = [fact.content for fact in facts if self._index.embedder.reads(fact.content)]
        try:
            self._vectors.sync(readable, self._index.embed)
        except OSError as error:
            raise MemoryFailed(f"vectors cannot be written: {error}") from error

    def _schedule_sync(self, facts: Sequence[Fact]) -> None:
        if self._asked.acquire(blocking=False):
            self._index.run_in_background(lambda: self._sync_quietly(facts))

    def _sync_quietly(self, facts: Sequence[Fact]) -> None:
        try:
            self.sync(facts)
        except MemoryFailed as error:
            _log.warning("no vectors for now: %s", error)
        finally:
            self._asked.release()

    def _query(self, said: Sequence[str]) -> Array:
        """Return one vector of what was said: newer messages weigh more, a bare "thanks" hardly at all."""
        readable = [each for each in said if self._index.embedder.reads(each)]
        weights, age = [], 0.0
        for message in reversed(readable):
            weight = min(1.0, len(terms(message)) / _SAYS_SOMETHING)
            weights.append(weight * _AGED**age)
            age += weight
        rows = self._index.embed(readable)
        mixed = np.array(weights[::-1], np.float32) @ rows
        length = float(np.linalg.norm(mixed))
        query: Array = mixed / length if length else rows[-1]
        return query
