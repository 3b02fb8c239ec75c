"""Synonyms and related words of everyday life: a question for pets finds the dog."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from parley.memory.text.search_terms import terms

_FILE = Path(__file__).parents[1] / "data" / "concepts.txt"


def related_terms(term: str) -> frozenset[str]:
    """Return other terms to search for where this one was said; the file explains its format."""
    return _related().get(term, frozenset())


@cache
def _related() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        same, _, under = line.partition(":")
        heads, members = _as_terms(same), _as_terms(under)
        for head in heads:
            found.setdefault(head, set()).update((heads | members) - {head})
        for member in members:
            found.setdefault(member, set()).update(heads - {member})
    return {term: frozenset(others) for term, others in found.items()}


def _as_terms(words: str) -> set[str]:
    """Return one term a word: its stem, or the pair of characters that it is."""
    return {word if not word.isascii() else found[-1] for word in words.split() if (found := terms(word))}
