"""Synonyms and related words of everyday life: a question for pets finds the dog."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from parley.memory.text.languages import ENGLISH, STEMMERS, language_words
from parley.memory.text.search_terms import has_unspaced, stem

_FILE = Path(__file__).parents[1] / "data" / "concepts.txt"


def related_terms(term: str, language: str = ENGLISH) -> frozenset[str]:
    """Return other terms to search for where this one was said; the files explain their format.

    English and Chinese share a list: most texts in one of them have words of the other.
    """
    own = _related(language).get(term, frozenset()) if language != ENGLISH else frozenset()
    return own | _related(ENGLISH).get(term, frozenset())


@cache
def _related(language: str) -> Mapping[str, frozenset[str]]:
    lines = _FILE.read_text("utf-8").splitlines() if language == ENGLISH else language_words(language).related
    found: dict[str, set[str]] = {}
    for line in lines:
        if line.startswith("#"):
            continue
        same, _, under = line.partition(":")
        heads, members = _as_terms(same, language), _as_terms(under, language)
        for head in heads:
            found.setdefault(head, set()).update((heads | members) - {head})
        for member in members:
            found.setdefault(member, set()).update(heads - {member})
    return {term: frozenset(others) for term, others in found.items()}


def _as_terms(words: str, language: str) -> set[str]:
    """Return one term a word: its stem, or the pair of characters that it is."""
    return {
        stem(word, language) if language in STEMMERS and not has_unspaced(word) else word
        for word in words.split()
    }
