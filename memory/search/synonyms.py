"""Synonyms and related words of everyday life: a question for pets finds the dog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from parley.memory.text.languages import ENGLISH, STEMMERS, language_words
from parley.memory.text.search_terms import has_unspaced, stem

_FILE = Path(__file__).parents[1] / "data" / "concepts.txt"
# What a general word counts where a special one was said: "guitar" is not any instrument.
_GENERAL = 0.5


def related_terms(term: str, language: str = ENGLISH) -> Mapping[str, float]:
    """Return other terms to search for where this one was said, and what each counts; the files explain it.

    English and Chinese share a list: most texts in one of them have words of the other.
    """
    general = _related(ENGLISH).get(term, {})
    own = _related(language).get(term, {}) if language != ENGLISH else {}
    return {**general, **own} if own else general


@cache
def _related(language: str) -> Mapping[str, Mapping[str, float]]:
    lines = _FILE.read_text("utf-8").splitlines() if language == ENGLISH else language_words(language).related
    found: dict[str, dict[str, float]] = {}
    for line in lines:
        if line.startswith("#"):
            continue
        same, _, under = line.partition(":")
        heads, members = _as_terms(same, language), _as_terms(under, language)
        for member in members:
            _relate(found, member, heads, _GENERAL)
        for head in heads:
            _relate(found, head, heads | members, 1.0)
    return found


def _relate(found: dict[str, dict[str, float]], term: str, others: Iterable[str], share: float) -> None:
    known = found.setdefault(term, {})
    for other in others:
        if other != term:
            known[other] = max(share, known.get(other, 0.0))


def _as_terms(words: str, language: str) -> set[str]:
    """Return one term a word: its stem, or the pair of characters that it is."""
    return {
        stem(word, language) if language in STEMMERS and not has_unspaced(word) else word
        for word in words.split()
    }
