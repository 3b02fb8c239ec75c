"""Ranking of facts by `options.ranking`."""

from __future__ import annotations

from collections.abc import Sequence

from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.ranked_facts import RankedFacts


def rank(index: FactIndex, messages: Sequence[str], options: MemoryOptions) -> list[Fact]:
    """Return every fact once, best first for these messages (oldest first), by `options.ranking`.

    Where nothing was said, or nothing that any fact is about, the order is by confidence.
    """
    return list(rank_lazily(index, messages, options))


def rank_lazily(index: FactIndex, messages: Sequence[str], options: MemoryOptions) -> RankedFacts:
    """Return the same for callers that stop at a budget."""
    if options.ranking is Ranking.CONFIDENCE:
        return index.ranked(())
    found = index.search(messages)
    if options.ranking is Ranking.WEIGHTED:
        return RankedFacts(_weighted(index.by_confidence(), found, options))
    return index.ranked([fact for fact, _ in found])


def _weighted(
    resting: Sequence[Fact], found: Sequence[tuple[Fact, float]], options: MemoryOptions
) -> list[Fact]:
    similarity = {id(fact): score for fact, score in found}

    def weight(fact: Fact) -> float:
        return (
            options.similarity_weight * similarity.get(id(fact), 0.0)
            + options.confidence_weight * fact.confidence
        )

    return sorted(resting, key=weight, reverse=True)
