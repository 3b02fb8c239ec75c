"""Inverted index with BM25 scoring of weighted terms.

A fact is a slot, a small number that is used again once its fact is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from math import log

# Low `b`: facts are short, and length matters little (k1 .9 and b .4 measured best, b .75 worst).
_K1, _B = 0.9, 0.4
# Occurrences of a term in one fact above this number do not count.
_MOST_OFTEN = 8
_TIMES = range(1, _MOST_OFTEN + 1)
# Terms of a query that are looked up: those of greatest weight.
_LOOKED_UP = 36
# Once so many facts are found, terms that many facts hold, or that weigh less than half of the first one,
# only add to scores of the found ones; terms that a large part of very many facts hold do so from the start.
ENOUGH = 200
_COMMON_SHARE, _WEAK = 1 / 12, 0.5
# A term that nearly every fact holds tells none apart, and takes as long to look up as all facts.
_NEGLIGIBLE = 0.001
_EVERYWHERE, _EVERYWHERE_SHARE = 1500, 1 / 4
# Words with this many first letters in common are a family ("photo", "photograph"), and so are a stem of one
# letter less and a long word that begins with it ("educ", "educaton").
_FAMILY = 5
_STEM, _LONG = 4, 7


class Postings:
    """Terms and the slots that hold them, updated one fact at a time.

    Call `settle` after changes, before asking: weights depend on the mean length of all.
    """

    def __init__(self) -> None:
        # The slots of each term, each with the fact's length and the term's count as one number: the index
        # in `_worth`.
        self._held: dict[str, dict[int, int]] = {}
        self._families: dict[str, set[str]] = {}
        self._lengths: list[int] = []
        self._count = 0
        self._total = 0
        self._longest = 0
        self._worth: list[float] = []

    def __contains__(self, term: str) -> bool:
        return term in self._held

    def known(self, asked: Set[str]) -> set[str]:
        """Return the terms among these that any fact holds."""
        return self._held.keys() & asked

    def add(self, slot: int, bag: Sequence[str]) -> None:
        """Add the terms of a free slot; the next new slot is the number of slots so far."""
        if slot == len(self._lengths):
            self._lengths.append(0)
        self._lengths[slot] = len(bag)
        self._longest = max(self._longest, len(bag))
        self._total += len(bag)
        self._count += 1
        once = len(bag) * _MOST_OFTEN
        most = once + _MOST_OFTEN - 1
        for term in bag:
            holders = self._held.get(term)
            if holders is None:
                holders = self._meet(term)
            holders[slot] = min(holders[slot] + 1, most) if slot in holders else once

    def _meet(self, term: str) -> dict[int, int]:
        """Make room for the slots of a term that is new."""
        if _has_family(term):
            self._families.setdefault(term[:_STEM], set()).add(term)
        holders = self._held[term] = {}
        return holders

    def remove(self, slot: int, bag: Iterable[str]) -> None:
        """Remove a slot that holds these terms."""
        self._total -= self._lengths[slot]
        self._lengths[slot] = 0
        self._count -= 1
        for term in set(bag):
            holders = self._held[term]
            del holders[slot]
            if not holders:
                del self._held[term]
                if _has_family(term):
                    self._families[term[:_STEM]].discard(term)

    def settle(self) -> None:
        """Compute length weights against the mean length."""
        mean = max(1.0, self._total / max(1, self._count))
        norms = [_K1 * (1 - _B) + _K1 * _B / mean * length for length in range(self._longest + 1)]
        self._worth = [n * (_K1 + 1) / (n + norm) for norm in norms for n in _TIMES]

    def slots(self, term: str) -> Iterable[int]:
        """Return the slots that hold a term."""
        return self._held.get(term, {}).keys()

    def rarity(self, term: str) -> float:
        """Return the weight of a term: the fewer facts hold it, the greater (BM25's idf)."""
        holders = len(self._held.get(term, ()))
        return log(1 + (self._count - holders + 0.5) / (holders + 0.5))

    def family(self, term: str) -> Iterable[str]:
        """Return terms with the same beginning, this one among them if any fact holds it."""
        alike = self._families.get(term[:_STEM], ()) if _has_family(term) else ()
        return [other for other in alike if _is_family(term, other)]

    def score(self, asked: Mapping[str, float]) -> dict[int, float]:
        """Return the slots that hold an asked term with their scores; terms of greatest weight go first."""
        held = self._held
        known = [(weight, term) for term, weight in asked.items() if term in held]
        known.sort(reverse=True)
        scores: dict[int, float] = {}
        for weight, term in known[:_LOOKED_UP]:
            if weight < _NEGLIGIBLE * known[0][0]:
                break
            weak = weight < _WEAK * known[0][0]
            if self._only_tells_apart(len(held[term]), len(scores), weak):
                self._tell_apart(scores, held[term], weight)
            else:
                self._accumulate(scores, held[term], weight)
        return scores

    def _only_tells_apart(self, holders: int, found: int, weak: bool) -> bool:
        """Return whether a term is so common or weak that it adds only facts with no other match."""
        if found >= ENOUGH:
            return weak or holders > max(ENOUGH, self._count * _COMMON_SHARE)
        return found > 0 and holders > max(_EVERYWHERE, self._count * _EVERYWHERE_SHARE)

    def _accumulate(self, scores: dict[int, float], holders: Mapping[int, int], weight: float) -> None:
        # Built by zip and map, as there may be thousands; a loop in Python is for those found before.
        worth = [weight * each for each in self._worth]
        more = dict(zip(holders, map(worth.__getitem__, holders.values()), strict=True))
        for slot in scores.keys() & more.keys():
            more[slot] += scores[slot]
        scores.update(more)

    def _tell_apart(self, scores: dict[int, float], holders: Mapping[int, int], weight: float) -> None:
        worth = self._worth
        for slot in scores.keys() & holders.keys():
            scores[slot] += weight * worth[holders[slot]]


def _has_family(term: str) -> bool:
    return len(term) >= _STEM and term.isascii() and term.isalpha()


def _is_family(one: str, two: str) -> bool:
    """Return whether two terms with the same first letters are a family."""
    if len(one) == _STEM or len(two) == _STEM:
        return one == two or max(len(one), len(two)) >= _LONG
    return one[:_FAMILY] == two[:_FAMILY]
