"""Distinctive terms of a statement: all but those with which half of all facts begin."""

from __future__ import annotations

from functools import cache

from parley.memory.text.search_terms import terms

_PREDICATES = "likes prefers loves enjoys wants needs uses knows 户喜 喜欢 户爱 户想"
_COMMON = (
    f"{_PREDICATES} user users person people somebody thing things know "
    "remember remembers forget mentioned said told asked about "
    "用户 户的 记住 忘记 忘掉 关于 事情"
)


@cache
def _common() -> frozenset[str]:
    return frozenset(terms(_COMMON))


@cache
def _predicates() -> frozenset[str]:
    return frozenset(terms(_PREDICATES))


def says_common_thing(text: str) -> bool:
    """Return whether a text says what is said of most things: that somebody likes, wants or uses them."""
    return not _predicates().isdisjoint(terms(text))


def distinctive_terms(text: str) -> frozenset[str]:
    """Return the terms of a text without the common ones."""
    return frozenset(terms(text)) - _common()
