"""Ranking of facts by `options.ranking`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex


def rank(index: FactIndex, messages: Sequence[str], options: MemoryOptions) -> list[Fact]:
    """Return every fact once, best first for these messages (oldest first), by `options.ranking`.

    Where nothing was said, or nothing that any fact is about, the order is by confidence.
    """
    return list(iter_ranked(index, messages, options))


def iter_ranked(index: FactIndex, messages: Sequence[str], options: MemoryOptions) -> Iterator[Fact]:
    """Yield the same one by one, for callers that stop at a budget."""
    if options.ranking is Ranking.CONFIDENCE:
        return iter(index.by_confidence())
    found = index.search(messages)
    if options.ranking is Ranking.WEIGHTED:
        return iter(_weighted(index.by_confidence(), found, options))
    best = [fact for fact, _ in found]
    return chain(best, index.all_but(best))


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
