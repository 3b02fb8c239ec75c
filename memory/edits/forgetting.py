"""Forgetting: removal of facts, of summary sentences that repeat them, and of earlier versions of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from parley.memory.edits.distinctive_terms import distinctive_terms
from parley.memory.edits.similarity import comparison_key
from parley.memory.edits.summaries import drop_summary_sentences
from parley.memory.edits.tombstones import make_tombstone
from parley.memory.model.document import Fact, MemoryDocument, StoredMemory
from parley.memory.text.sentences import split_sentences

# The share of a fact's distinctive terms from which a summary sentence repeats it. Rather low: a sentence
# dropped by mistake is written again, one kept by mistake still reveals the fact.
_REPEATS = 0.5
_LEAST_WORDS = 2


def match_facts(facts: Sequence[Fact], words: str) -> tuple[Fact, ...]:
    """Return the fact with this id, else those of the same text, else those with all distinctive terms."""
    asked = words.strip()
    by_id = tuple(fact for fact in facts if fact.id == asked)
    if by_id:
        return by_id
    text = comparison_key(asked)
    same = tuple(fact for fact in facts if text and comparison_key(fact.content) == text)
    if same:
        return same
    wanted = distinctive_terms(asked)
    return tuple(fact for fact in facts if wanted and wanted <= _searched(fact))


def _searched(fact: Fact) -> frozenset[str]:
    return distinctive_terms("\n".join((fact.content, fact.subject, *fact.keywords)))


def forget_facts(stored: StoredMemory, gone: Sequence[Fact], at: str, words: str = "") -> StoredMemory:
    """Return the memory without `gone`, and with tombstones that bar learning it again from before `at`.

    `words` are those that named the facts: summary sentences that hold all of them go too. No earlier
    version is kept: it would contain them, and undo would restore them.
    """
    repeats = make_repeat_check([distinctive_terms(fact.content) for fact in gone], distinctive_terms(words))
    ids, texts = {fact.id for fact in gone}, {fact.content for fact in gone}

    facts = tuple(fact for fact in stored.document.facts if fact.id not in ids and fact.content not in texts)
    document = drop_summary_sentences(replace(stored.document, facts=facts), repeats)
    if document != stored.document:
        document = replace(document, updated_at=at)
    notes = replace(
        stored.notes,
        tombstones=(*stored.notes.tombstones, *(make_tombstone(text, at) for text in sorted(texts))),
        past=(),
        forgot=True,
    )
    return replace(stored, document=document, notes=notes)


def match_sentences(document: MemoryDocument, words: str) -> tuple[str, ...]:
    """Return the summary sentences that hold all distinctive terms of these words."""
    repeats = make_repeat_check((), distinctive_terms(words))
    texts = (summary.text for _, summary in document.summaries.named())
    return tuple(one.strip() for text in texts for one in split_sentences(text) if repeats(one))


def make_repeat_check(
    gone: Sequence[frozenset[str]], words: frozenset[str] = frozenset()
) -> Callable[[str], bool]:
    """Return a predicate: whether a sentence repeats one of these facts, or holds all of these words."""

    def repeats(sentence: str) -> bool:
        said = distinctive_terms(sentence)
        if words and words <= said:
            return True
        return any(
            0 < min(_LEAST_WORDS, len(fact)) <= len(fact & said) and len(fact & said) >= _REPEATS * len(fact)
            for fact in gone
        )

    return repeats
