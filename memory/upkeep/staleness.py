"""Facts that may no longer hold: their day is over, or nobody said them for a year (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from parley.memory.model.document import Category, Fact, StoredMemory
from parley.memory.search.date_terms import full_dates

_DAYS_UNSAID = 365
_DAYS_OVER = 30
_SHARE_LEFT = 0.8
_LASTING = (Category.CORRECTION, Category.INSTRUCTION)


def is_stale(fact: Fact, today: str, *, written: bool = False) -> bool:
    """Return whether a fact may no longer hold on this day (ISO 8601); judged once, until it is said again.

    What the person wrote (but with `written`), corrections, instructions and what is past already are not
    judged. A day is over only if it was to come when the fact was said: what happened then stays true.
    """
    if fact.until or (fact.manual and not written) or fact.category in _LASTING or not fact.created_at:
        return False
    if fact.reviewed_at >= fact.last_said:
        return False
    if fact.last_said[:10] <= _before(today, _DAYS_UNSAID):
        return True
    days = full_dates(fact.content)
    return bool(days) and fact.last_said[:10] < max(days) <= _before(today, _DAYS_OVER)


def stale_facts(facts: Iterable[Fact], today: str, *, written: bool = False) -> list[Fact]:
    """Return the facts that may no longer hold; with `written` also of those that people wrote."""
    return [fact for fact in facts if is_stale(fact, today, written=written)]


def lower(fact: Fact, at: str) -> Fact:
    """Return a fact as less sure; it is not judged again until it is said again."""
    return replace(fact, confidence=round(fact.confidence * _SHARE_LEFT, 2), reviewed_at=at)


def lower_facts(stored: StoredMemory, stale: Sequence[Fact], at: str) -> StoredMemory:
    """Return the memory with these facts lowered; nothing to undo, as no text changes."""
    chosen = {fact.id for fact in stale}
    if not chosen:
        return stored
    facts = tuple(lower(fact, at) if fact.id in chosen else fact for fact in stored.document.facts)
    return replace(stored, document=replace(stored.document, facts=facts))


def _before(today: str, days: int) -> str:
    return (date.fromisoformat(today[:10]) - timedelta(days)).isoformat()
