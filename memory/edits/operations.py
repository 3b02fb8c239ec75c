"""Operations of a person on their memory, as pure functions from one stored memory to the next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from parley.core.ports.memory.admin import FactChange
from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin, MergeOutcome
from parley.memory.edits.account_split import mark_account, sentence_origins
from parley.memory.edits.eviction import evict
from parley.memory.edits.fact_merge import accounts_of, can_merge, merge_facts
from parley.memory.edits.fact_set import FactSet
from parley.memory.edits.forgetting import forget_facts, match_facts, match_sentences
from parley.memory.edits.history import replace_document
from parley.memory.edits.normalise import MOST_OF_FACT, one_line, settle_category
from parley.memory.edits.similarity import Similarity
from parley.memory.edits.summaries import merge_summaries
from parley.memory.edits.supersede import settle_by_time
from parley.memory.edits.tombstones import is_forgotten, make_tombstone
from parley.memory.model.document import (
    Category,
    Fact,
    MemoryDocument,
    StoredMemory,
    Tombstone,
    clamp_confidence,
    clear,
)
from parley.memory.model.vocabulary import USUAL_VOCABULARY, MemoryVocabulary
from parley.memory.search.index import FactIndex
from parley.memory.text.secrets.masking import mask_secrets

MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class AddResult:
    """The memory after an add or edit, and the fact that was written; None if there was none."""

    stored: StoredMemory
    fact: Fact | None


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """The memory after forgetting, and the facts removed; a summary sentence is a fact without an id."""

    stored: StoredMemory
    gone: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The memories of two persons after a merge."""

    source: StoredMemory
    into: StoredMemory
    merged: MergeOutcome


def add(
    stored: StoredMemory,
    content: str,
    now: str,
    most: int,
    *,
    shared: bool = False,
    category: str = Category.CONTEXT,
    index: FactIndex | None = None,
    account: str = "",
    origin: FactOrigin = NO_ORIGIN,
    vocabulary: MemoryVocabulary = USUAL_VOCABULARY,
) -> AddResult:
    """Add a fact that a person dictates: certain, and never rewritten by a model.

    A known fact becomes a manual one. `most` is the cap; the new fact is never the one evicted.
    `account` is the account that says so, where the person is not named after it; `origin` where.
    """
    text = mask_secrets(one_line(content, MOST_OF_FACT)).text
    if not any(char.isalnum() for char in text):
        return AddResult(stored, None)
    category = settle_category(text, category, vocabulary)
    new = Fact(
        "", text, category, 1.0, now, MANUAL, shared=shared, accounts=accounts_of([account]), origin=origin
    )
    draft = FactSet(stored.document.facts, stored.notes.last_id, index)
    known = _known(draft, new)
    if known is None:
        kept = draft.add(new)
    else:
        kept = replace(merge_facts(known, new), source=MANUAL)
        draft.replace(kept)
    for past in settle_by_time(draft.find_contested(kept), kept):
        draft.replace(past)
    document = replace(stored.document, facts=evict(draft.facts, most))
    changed = replace_document(stored, document, now)
    return AddResult(replace(changed, notes=replace(changed.notes, last_id=draft.last_id)), kept)


def _known(draft: FactSet, new: Fact) -> Fact | None:
    same = draft.find_same(new.content)
    if same is not None:
        return same
    alike = draft.find_similar(new.content)
    return next((old for old, verdict in alike if verdict is Similarity.DUP and can_merge(old, new)), None)


def edit(
    stored: StoredMemory,
    fact_id: str,
    change: FactChange,
    now: str,
    vocabulary: MemoryVocabulary = USUAL_VOCABULARY,
) -> AddResult:
    """Edit a fact by hand; its old text is not learned again from earlier turns.

    The fact is None when there is none of this id, or the text is blank.
    """
    old = next((fact for fact in stored.document.facts if fact.id == fact_id), None)
    text = None if change.content is None else mask_secrets(one_line(change.content, MOST_OF_FACT)).text
    if old is None or (text is not None and not any(char.isalnum() for char in text)):
        return AddResult(stored, None)
    new = replace(
        old,
        content=old.content if text is None else text,
        category=change.category or old.category,
        confidence=old.confidence if change.confidence is None else clamp_confidence(change.confidence),
        source=MANUAL,
        confirmed_at=now,
    )
    if new.category != old.category or new.category == Category.INSTRUCTION:
        new = replace(new, category=settle_category(new.content, new.category, vocabulary))
    if new.content != old.content:
        # Keywords and the noted mistake belong to the old text, and may reveal what was removed from it.
        new = replace(new, keywords=(), source_error="", until="")
        if change.author:
            new = replace(new, accounts=accounts_of([change.author]), origin=change.origin, created_at=now)
    facts = tuple(new if fact.id == fact_id else fact for fact in stored.document.facts)
    changed = replace_document(stored, replace(stored.document, facts=facts), now)
    if new.content == old.content:
        return AddResult(changed, new)
    tombstones = (*changed.notes.tombstones, make_tombstone(old.content, now))
    return AddResult(replace(changed, notes=replace(changed.notes, tombstones=tombstones)), new)


def forget(stored: StoredMemory, words: str, now: str) -> ForgetResult:
    """Remove the fact of this id, or all that these words name, and what repeats them."""
    gone = forgettable(stored.document, words)
    by_id = any(fact.id == words.strip() for fact in gone)
    return ForgetResult(forget_facts(stored, gone, now, "" if by_id else words) if gone else stored, gone)


def forgettable(document: MemoryDocument, words: str) -> tuple[Fact, ...]:
    """Return what `forget` would remove: facts, or, where none is named, sentences of summaries."""
    return match_facts(document.facts, words) or tuple(
        Fact("", line) for line in match_sentences(document, words)
    )


def undo(stored: StoredMemory, now: str) -> StoredMemory | None:
    """Return the memory before its last change; None where there is none."""
    if not stored.notes.past:
        return None
    document = replace(stored.notes.past[0], updated_at=now)
    return replace(stored, document=document, notes=replace(stored.notes, past=stored.notes.past[1:]))


def switch(stored: StoredMemory, on: bool) -> StoredMemory:
    """Switch learning and recall on or off."""
    return replace(stored, notes=replace(stored.notes, off=not on))


def merge(source: StoredMemory, into: StoredMemory, now: str, most: int, account: str = "") -> MergeResult:
    """Merge one memory into another; the source is cleared, and this cannot be undone.

    What was forgotten in either stays forgotten. If either was switched off, both are. `account` is the one
    after which the source is named: what came from it can be told apart later.
    """
    tombstones = (*into.notes.tombstones, *source.notes.tombstones)
    facts = _unforgotten(into.document.facts, tombstones)
    draft = FactSet(facts, into.notes.last_id)
    own = {fact.id for fact in facts}
    arrived = [
        _take(draft, mark_account(fact, account)) for fact in _unforgotten(source.document.facts, tombstones)
    ]
    kept = evict(draft.facts, most)
    added = {fact.id for fact in kept if fact.id not in own}
    document = replace(
        into.document,
        facts=kept,
        summaries=merge_summaries(into.document.summaries, source.document.summaries),
        updated_at=now,
    )
    notes = replace(
        into.notes,
        off=into.notes.off or source.notes.off,
        tombstones=tombstones,
        watermarks=source.notes.watermarks | into.notes.watermarks,
        past=(),
        last_id=draft.last_id,
        came=sentence_origins(source, into, account) if account else into.notes.came,
    )
    known = sum(fact_id in own for fact_id in arrived)
    return MergeResult(
        clear(source), replace(into, document=document, notes=notes), MergeOutcome(len(added), known)
    )


def _take(draft: FactSet, fact: Fact) -> str:
    """Return the id under which another memory's fact is stored, or was known."""
    known = _known(draft, fact)
    if known is None:
        return draft.add(fact, fact.id).id
    source = fact.source if fact.manual else known.source
    draft.replace(replace(merge_facts(known, fact), source=source))
    return known.id


def _unforgotten(facts: Collection[Fact], tombstones: Collection[Tombstone]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if not is_forgotten(tombstones, fact.content, fact.last_said))
