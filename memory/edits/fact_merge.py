"""Merging two equal facts: the higher confidence, the latest time, the fuller text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin
from parley.memory.edits.normalise import clean_keywords
from parley.memory.edits.similarity import comparison_key
from parley.memory.model.document import Fact

_MOST_ORIGINS = 5


def can_merge(old: Fact, new: Fact) -> bool:
    """Return whether two similar facts may be merged.

    Not where private words would be shared or shared ones lost, and not where a fact that the person wrote
    would have to be rewritten.
    """
    if comparison_key(old.content) == comparison_key(new.content):
        return True
    return old.shared == new.shared and not (old.manual and len(new.content) > len(old.content))


def merge_facts(old: Fact, new: Fact) -> Fact:
    """Return the old fact updated by `new`; it keeps its id, source and creation time."""
    confirmed = confirm_fact(old, new.created_at)
    risen = replace(
        confirmed,
        confidence=max(old.confidence, new.confidence),
        accounts=accounts_of((*(old.accounts or ("",)), *(new.accounts or ("",)))),
        also_said=_origins(old, new),
        uses=max(old.uses, new.uses),
    )
    if old.until and new.created_at > old.until:
        # It holds again.
        risen = replace(risen, until=new.until, valid_from=new.valid_from or new.created_at)
    if old.shared and not new.shared:
        return risen
    if comparison_key(old.content) == comparison_key(new.content):
        risen = replace(risen, shared=old.shared or new.shared)
    elif len(new.content) > len(old.content):
        risen = replace(risen, content=new.content)
    if old.manual:
        return risen
    return replace(
        risen,
        source_error=old.source_error or new.source_error,
        subject=old.subject or new.subject,
        keywords=clean_keywords((*old.keywords, *new.keywords)),
    )


def _origins(old: Fact, new: Fact) -> tuple[FactOrigin, ...]:
    """Return where a fact was said besides its own origin; a team's facts have one speaker each."""
    others = (*old.also_said, new.origin, *new.also_said)
    apart = (each for each in others if each not in (NO_ORIGIN, old.origin) and not each.speaker)
    return tuple(dict.fromkeys(apart))[-_MOST_ORIGINS:]


def accounts_of(accounts: Iterable[str]) -> tuple[str, ...]:
    """Return the accounts as a fact has them: each once, and none where only "" is left."""
    known = tuple(dict.fromkeys(accounts))
    return () if known == ("",) else known


def confirm_fact(fact: Fact, at: str) -> Fact:
    """Return the fact as last said at `at`."""
    return replace(fact, confirmed_at=max(fact.confirmed_at, at)) if at > fact.created_at else fact
