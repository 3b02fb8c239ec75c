"""Eviction of facts above the cap: past ones first, then by confidence and use, of equals the oldest.

Facts that the person wrote, then corrections and instructions, newest first, are protected, up to half of
the cap. So the cap always holds, and many corrections do not displace everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest, nsmallest
from math import ceil

from parley.memory.model.document import Category, Fact

PROTECTED_SHARE = 0.5


def evict(facts: Sequence[Fact], most: int) -> tuple[Fact, ...]:
    """Return at most `most` of the facts, in their order."""
    excess = len(facts) - max(most, 0)
    if excess <= 0:
        return tuple(facts)
    safe = _protected(facts, most)
    exposed = [place for place in range(len(facts)) if place not in safe]
    gone = set(nsmallest(excess, exposed, key=lambda place: _worth(facts, place)))
    return tuple(fact for place, fact in enumerate(facts) if place not in gone)


def _protected(facts: Sequence[Fact], most: int) -> set[int]:
    """Return the indexes of facts kept whatever their confidence: `most` times the share, rounded up."""
    claims = [place for place, fact in enumerate(facts) if _claims(fact)]
    room = ceil(max(most, 0) * PROTECTED_SHARE)
    return set(nlargest(room, claims, key=lambda place: (facts[place].manual, *_age(facts, place))))


def _claims(fact: Fact) -> bool:
    return fact.manual or fact.category in (Category.CORRECTION, Category.INSTRUCTION)


def _worth(facts: Sequence[Fact], place: int) -> tuple[bool, float, int, str, int]:
    """Return a sort key that grows with what is lost: past facts are lost first."""
    fact = facts[place]
    return not fact.until, fact.confidence, fact.uses, *_age(facts, place)


def _age(facts: Sequence[Fact], place: int) -> tuple[str, int]:
    """Return a sort key that grows with freshness: last said, then last learned."""
    return facts[place].last_said, place
