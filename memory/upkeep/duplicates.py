"""Facts that say the same, merged without a model: in equal words, or where one goes on another (pure)."""

from __future__ import annotations

from dataclasses import replace

from parley.memory.edits.fact_merge import can_merge, merge_facts
from parley.memory.edits.history import replace_document
from parley.memory.edits.similarity import Similarity, nearest_facts
from parley.memory.model.document import Category, Fact, StoredMemory
from parley.memory.search.index import FactIndex

MOST_COMPARED = 500
"""The newest facts are compared with all others: older ones were at their time."""

_OWN_KIND = {Category.CORRECTION, Category.INSTRUCTION}


def merge_duplicates(stored: StoredMemory, index: FactIndex, now: str) -> StoredMemory:
    """Return the memory without facts that another one says; `index` is of the same facts."""
    left = {fact.id: fact for fact in stored.document.facts}
    for fact in stored.document.facts[: -MOST_COMPARED - 1 : -1]:
        same = _same_as(left, index, fact) if fact.id in left else None
        if same is not None:
            older, newer = sorted((left[fact.id], same), key=lambda each: each.created_at)
            left[older.id] = join_facts(older, newer)
            del left[newer.id]
    facts = tuple(left[fact.id] for fact in stored.document.facts if fact.id in left)
    if len(facts) == len(stored.document.facts):
        return stored
    return replace_document(stored, replace(stored.document, facts=facts), now)


def join_facts(older: Fact, newer: Fact) -> Fact:
    """Return two facts as one, with where both were said; what the person wrote stays theirs."""
    joined = merge_facts(older, newer)
    return replace(joined, source=newer.source) if newer.manual else joined


def may_join(one: Fact, two: Fact) -> bool:
    """Return whether two facts may become one: of one kind, of one subject, and both hold."""
    alike = one.shared == two.shared and one.subject.casefold() == two.subject.casefold()
    lasting = one.category == two.category or not {one.category, two.category} & _OWN_KIND
    return alike and lasting and not one.until and not two.until


def _same_as(left: dict[str, Fact], index: FactIndex, fact: Fact) -> Fact | None:
    for found, verdict in nearest_facts(index, fact.content):
        other = left.get(found.id)
        if other is None or other.id == fact.id or verdict is not Similarity.DUP:
            continue
        either_way = can_merge(fact, other) and can_merge(other, fact)
        if other.content == found.content and either_way and may_join(fact, other):
            return other
    return None
