"""Distinctive terms of a statement: all but those with which half of all facts begin."""

from __future__ import annotations

from functools import cache

from parley.memory.text.search_terms import terms

_COMMON = (
    "user users person people somebody likes prefers loves enjoys wants needs uses thing things know "
    "knows remember remembers forget mentioned said told asked about "
    "用户 户喜 喜欢 户爱 户想 户的 记住 忘记 忘掉 关于 事情"
)


@cache
def _common() -> frozenset[str]:
    return frozenset(terms(_COMMON))


def distinctive_terms(text: str) -> frozenset[str]:
    """Return the terms of a text without the common ones."""
    return frozenset(terms(text)) - _common()
