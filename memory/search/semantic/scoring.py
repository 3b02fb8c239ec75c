"""Semantic scoring port, and the ranking that blends semantic with full-text scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.neighbours import Neighbours, batch_of
from parley.memory.search.ranked_facts import RankedFacts
from parley.memory.search.ranking import rank_lazily

# Weights of the two scores; the measurements are in docs/memory-injection.md.
_WORDS = 0.4
_MEANING = 0.6
# As many as the index itself returns; the rest come by confidence.
_FOUND = 300


class SemanticScorer(Protocol):
    """Scores the semantic similarity of facts to messages."""

    def score(self, messages: Sequence[str], facts: Sequence[Fact]) -> Sequence[float]:
        """Return -1 to 1 for each fact, NaN where unknown; empty where nothing is known. Never raises.

        May block: in a thread only. `messages` are oldest first, the current one last.
        """
        ...


@dataclass(frozen=True, slots=True)
class PrecomputedScores:
    """Scores of the same facts that another scorer computed already."""

    close: Sequence[float]

    def score(self, messages: Sequence[str], facts: Sequence[Fact]) -> Sequence[float]:
        return self.close


class SemanticIndex(Protocol):
    """Semantic scores of all memories, by key. Every method may block: on threads only."""

    def score(self, key: str, messages: Sequence[str], facts: Sequence[Fact]) -> Sequence[float]:
        """Score the facts of one memory, as SemanticScorer does."""
        ...

    def forget(self, key: str) -> None:
        """Drop all vectors of a memory. Raises MemoryFailed."""
        ...

    def close(self) -> None:
        """Finish work in progress."""
        ...


def rank_blended(
    index: FactIndex,
    facts: Sequence[Fact],
    messages: Sequence[str],
    options: MemoryOptions,
    scorer: SemanticScorer,
) -> RankedFacts:
    """Rank as `rank_lazily`, with semantic scores counted too; `facts` are those of the index, oldest first.

    A fact without a semantic score has its full-text score alone.
    """
    if options.ranking is not Ranking.RELEVANCE:
        return rank_lazily(index, messages, options)
    close = scorer.score(messages, facts)
    closest = max((value for value in close if value > 0), default=0.0)
    if not closest:
        return rank_lazily(index, messages, options)
    words = {id(fact): score for fact, score in index.search(messages)}
    scores = [
        (slot, _score(words.get(id(fact), 0.0), value / closest))
        for slot, (fact, value) in enumerate(zip(facts, close, strict=True))
    ]
    scores.sort(key=lambda hit: (hit[1], hit[0]), reverse=True)
    neighbours = Neighbours()
    neighbours.arrange((slot, batch_of(fact)) for slot, fact in enumerate(facts))
    spread = neighbours.spread([hit for hit in scores if hit[1] > 0])
    best = sorted(spread, key=lambda slot: (spread[slot], slot), reverse=True)[:_FOUND]
    return index.ranked([facts[slot] for slot in best])


def _score(words: float, meaning: float) -> float:
    return words if math.isnan(meaning) else _WORDS * words + _MEANING * max(0.0, meaning)
