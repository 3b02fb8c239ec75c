"""Similarity of two statements: equal, perhaps equal, or the same thing with another value.

Similarity alone cannot tell "moved to Rome" from "moved to Oslo": other values never merge.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from parley.memory.edits.comparable_values import ComparableValues, comparable_values
from parley.memory.model.document import Fact
from parley.memory.search.index import FactIndex
from parley.memory.text.search_terms import UNSPACED, terms

# Shares of common terms from which two statements are candidates: of all terms of both, or of the terms of
# the shorter one, if it has at least so many.
_ALIKE, _WITHIN, _TERMS_TO_BE_WITHIN = 0.5, 0.8, 3
_FILLERS = frozenset({"a", "an", "the", "is", "are", "am", "that"})
# Words that continue a statement without changing it, and words that revoke it.
_GOES_ON = frozenset({"and", "because", "which", "who", "where"})
_TAKES_BACK = frozenset({"but", "however", "though", "although", "except", "unless", "instead", "used"})
_LEAST_REPEATED = 3
# Learning compares with every fact that there is; a text and its key are some 200 bytes.
_CACHED = 65_536
_WORD = re.compile(r"\w+")
_REPORTED = re.compile(r"^(?:the )?user (?:said|says|mentioned|mentions|stated|reported)(?: that)? ")
_CONTRACTED = re.compile(r"['’]s\b")
_HAS_UNSPACED = re.compile(f"[{UNSPACED}]")


class Similarity(StrEnum):
    """How a statement relates to another one."""

    DUP = "dup"
    """Equal: the longer one is kept."""
    CANDIDATE = "candidate"
    """Perhaps equal: the model decides."""
    CONFLICT = "conflict"
    """Similar, with another value, name or negation: one may replace the other."""
    NEW = "new"
    """About something else."""


@lru_cache(maxsize=_CACHED)
def comparison_key(text: str) -> str:
    """Return a key that ignores width, whitespace, edges and case, to compare texts for equality."""
    joined = " ".join(unicodedata.normalize("NFKC", text).split())
    start, end = 0, len(joined)
    while start < end and _is_edge(joined[start]):
        start += 1
    while end > start and _is_edge(joined[end - 1]):
        end -= 1
    return (joined[start:end] or joined).casefold()


def _is_edge(character: str) -> bool:
    return character == " " or unicodedata.category(character).startswith("P")


def compare(a: str, b: str) -> Similarity:
    """Return how similar `a` and `b` are; the order of the two does not matter."""
    one, two = _gist(a), _gist(b)
    if one.normal == two.normal:
        return Similarity.DUP
    if not _alike(one.terms, two.terms):
        return Similarity.NEW
    if not one.values.agree(two.values):
        return Similarity.CONFLICT
    return Similarity.DUP if _certain(one, two) else Similarity.CANDIDATE


def nearest_facts(index: FactIndex, content: str, limit: int = 5) -> list[tuple[Fact, Similarity]]:
    """Return the facts most similar to a statement, most similar first, with how similar each is."""
    return [(fact, compare(content, fact.content)) for fact, _ in index.search([content], limit)]


@dataclass(frozen=True, slots=True)
class _Gist:
    """A statement prepared for comparison: `words` in order; characters where no spaces are."""

    normal: str
    words: tuple[str, ...]
    terms: frozenset[str]
    values: ComparableValues


@lru_cache(maxsize=4096)
def _gist(text: str) -> _Gist:
    wide = unicodedata.normalize("NFKC", text)
    normal = comparison_key(text)
    if _HAS_UNSPACED.search(normal):
        words = tuple(normal.replace(" ", ""))
    else:
        words = tuple(word for word in _WORD.findall(_plain(normal)) if word not in _FILLERS)
    return _Gist(normal, words, frozenset(terms(text)), comparable_values(wide))


def _plain(normal: str) -> str:
    return _CONTRACTED.sub("", _REPORTED.sub("", normal))


def _alike(one: frozenset[str], two: frozenset[str]) -> bool:
    common, least = len(one & two), min(len(one), len(two))
    if not common:
        return False
    within = least >= _TERMS_TO_BE_WITHIN and common >= _WITHIN * least
    return within or common >= _ALIKE * len(one | two)


def _certain(one: _Gist, two: _Gist) -> bool:
    """Return whether the words are equal, or the longer text only continues the shorter one."""
    shorter, longer = sorted((one.words, two.words), key=len)
    if shorter == longer:
        return True
    more = longer[len(shorter) :]
    repeats = len(shorter) >= _LEAST_REPEATED and longer[: len(shorter)] == shorter
    return repeats and more[0] in _GOES_ON and _TAKES_BACK.isdisjoint(more)
