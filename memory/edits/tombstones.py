"""Tombstones: forgotten facts are recognised by a digest of their text and a sketch of their words.

The sketch is a set of 12-bit numbers, one a word. Thousands of words share each number, so that it reveals
no word; a similar statement is recognised by the numbers that both share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b, sha256

from parley.memory.edits.distinctive_terms import distinctive_terms, says_common_thing
from parley.memory.edits.similarity import comparison_key
from parley.memory.model.document import Tombstone

_BUCKETS = 4096
# The share of a forgotten fact's words from which another statement is the same. Rather low: barring one too
# many costs one fact said before the forgetting; learning one too many breaks a promise.
_ALIKE = 0.6
_LEAST_WORDS = 2


def make_tombstone(content: str, at: str) -> Tombstone:
    """Return the tombstone of a fact forgotten at `at`."""
    return Tombstone(text_digest(content), at, tuple(sorted(_sketch(content))))


def is_barred(tombstones: Iterable[Tombstone], content: str, said_at: str) -> bool:
    """Return whether this was forgotten after it was said; said again later, it may be learned again.

    Without a time it counts as said before.
    """
    one_is_enough = says_common_thing(content)

    def same(forgotten: frozenset[int], said: frozenset[int]) -> bool:
        # "Likes tea" bars "loves tea and cake", and does not bar "is allergic to black tea".
        return _within(forgotten, said) and (len(forgotten) > 1 or len(said) == 1 or one_is_enough)

    return _is_barred(tombstones, content, said_at, same)


def repeats_forgotten(tombstones: Iterable[Tombstone], sentence: str, said_at: str) -> bool:
    """Return whether a sentence holds something forgotten, among other things perhaps."""
    return _is_barred(tombstones, sentence, said_at, _within)


def _is_barred(
    tombstones: Iterable[Tombstone],
    content: str,
    said_at: str,
    alike: Callable[[frozenset[int], frozenset[int]], bool],
) -> bool:
    later = [each for each in tombstones if said_at <= each.at]
    if not later:
        return False
    digest, sketch = text_digest(content), _sketch(content)
    return any(each.digest == digest or alike(frozenset(each.sketch), sketch) for each in later)


def is_forgotten(tombstones: Iterable[Tombstone], content: str, said_at: str) -> bool:
    """Return whether a fact of exactly this text was forgotten after it was last said."""
    digest = text_digest(content)
    return any(each.digest == digest and said_at <= each.at for each in tombstones)


def _within(forgotten: frozenset[int], said: frozenset[int]) -> bool:
    shared = len(forgotten & said)
    return 0 < min(_LEAST_WORDS, len(forgotten)) <= shared and shared >= _ALIKE * len(forgotten)


def text_digest(content: str) -> str:
    """Return a digest by which the same text is recognised."""
    return sha256(comparison_key(content).encode("utf-8", "replace")).hexdigest()[:32]


def _sketch(content: str) -> frozenset[int]:
    return frozenset(
        int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=2).digest()) % _BUCKETS
        for term in distinctive_terms(content)
    )
