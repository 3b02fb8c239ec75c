"""Forgetting for good: facts, sentences of summaries that repeat them, and earlier versions of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from parley.memory.document import SUMMARY_NAMES, Fact, MemoryDocument, Stored, Summary
from parley.memory.sentences import sentences
from parley.memory.similar import normalised
from parley.memory.summarised import without_sentences
from parley.memory.telling import telling
from parley.memory.tombstones import tombstone

# The share of a fact's telling words that makes a sentence of a summary repeat it: a sentence lost is
# written again, one kept by mistake would still tell.
_REPEATS = 0.5
_LEAST_WORDS = 2


def named(facts: Sequence[Fact], words: str) -> tuple[Fact, ...]:
    """The fact with this id, else those that say just this, else those that hold every telling word of it."""
    asked = words.strip()
    by_id = tuple(fact for fact in facts if fact.id == asked)
    if by_id:
        return by_id
    text = normalised(asked)
    same = tuple(fact for fact in facts if text and normalised(fact.content) == text)
    if same:
        return same
    wanted = telling(asked)
    return tuple(fact for fact in facts if wanted and wanted <= _searched(fact))


def _searched(fact: Fact) -> frozenset[str]:
    return telling("\n".join((fact.content, fact.subject, *fact.keywords)))


def forgotten(stored: Stored, gone: Sequence[Fact], at: str, words: str = "") -> Stored:
    """The memory without `gone`, not to be learned again from what was said before `at`.

    `words` are those that it was named by: sentences of summaries that hold all of them go too. No earlier
    version stays: they tell of it, and undo would seem to bring it back.
    """
    repeats = repeating([telling(fact.content) for fact in gone], telling(words))
    ids, texts = {fact.id for fact in gone}, {fact.content for fact in gone}

    facts = tuple(fact for fact in stored.document.facts if fact.id not in ids and fact.content not in texts)
    document = without_sentences(replace(stored.document, facts=facts), repeats)
    if document != stored.document:
        document = replace(document, updated_at=at)
    notes = replace(
        stored.notes,
        tombstones=(*stored.notes.tombstones, *(tombstone(text, at) for text in sorted(texts))),
        past=(),
        forgot=True,
    )
    return replace(stored, document=document, notes=notes)


def told(document: MemoryDocument, words: str) -> tuple[str, ...]:
    """The sentences of summaries that hold every telling word of these."""
    repeats = repeating((), telling(words))
    texts: Iterable[Summary] = (getattr(document.summaries, name) for name in SUMMARY_NAMES)
    return tuple(one.strip() for summary in texts for one in sentences(summary.text) if repeats(one))


def repeating(gone: Sequence[frozenset[str]], words: frozenset[str] = frozenset()) -> Callable[[str], bool]:
    """Return what tells whether a sentence repeats one of these facts, or holds all of these words."""

    def repeats(sentence: str) -> bool:
        said = telling(sentence)
        if words and words <= said:
            return True
        return any(
            0 < min(_LEAST_WORDS, len(fact)) <= len(fact & said) and len(fact & said) >= _REPEATS * len(fact)
            for fact in gone
        )

    return repeats
