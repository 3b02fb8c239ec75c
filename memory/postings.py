"""Which facts hold which terms, and how well they match a weighted set of terms: BM25.

A fact is a slot, a small number that is used again once its fact is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from math import log

# Low `b`: facts are short, and a long one is no worse for it (k1 .9 and b .4 measured best, b .75 worst).
_K1, _B = 0.9, 0.4
# Said more often in one fact, a term tells no more.
_MOST_OFTEN = 8
# Terms of a query that are looked up: those of greatest weight.
_LOOKED_UP = 24
# Once so many facts are found, terms that many facts hold, or that weigh less than half of the first one,
# only tell the found ones apart; terms that so many of so many hold do so as soon as anything is found.
ENOUGH = 200
_COMMON_SHARE, _WEAK = 1 / 12, 0.5
_EVERYWHERE, _EVERYWHERE_SHARE = 1500, 1 / 4
# Words that begin with the same letters are taken for a family ("photo", "photograph").
_FAMILY = 5


class Postings:
    """Terms and the slots that hold them, kept up to date one fact at a time.

    Call `settle` after changes, before asking: weights depend on the mean length of all.
    """

    def __init__(self) -> None:
        self._held: dict[str, dict[int, int]] = {}
        self._families: dict[str, set[str]] = {}
        self._lengths: list[int] = []
        self._count = 0
        self._total = 0
        self._longest = 0
        # What a term is worth by how often it is said, and by the length of the fact.
        self._worth: list[list[float]] = []

    def __contains__(self, term: str) -> bool:
        return term in self._held

    def add(self, slot: int, bag: Sequence[str]) -> None:
        """Let a free slot hold these terms; the next new slot is the number of slots so far."""
        if slot == len(self._lengths):
            self._lengths.append(0)
        self._lengths[slot] = len(bag)
        self._longest = max(self._longest, len(bag))
        self._total += len(bag)
        self._count += 1
        for term, times in Counter(bag).items():
            if term not in self._held:
                self._held[term] = {}
                if _has_family(term):
                    self._families.setdefault(term[:_FAMILY], set()).add(term)
            self._held[term][slot] = min(times, _MOST_OFTEN)

    def remove(self, slot: int, bag: Iterable[str]) -> None:
        """Free a slot that holds these terms."""
        self._total -= self._lengths[slot]
        self._lengths[slot] = 0
        self._count -= 1
        for term in set(bag):
            holders = self._held[term]
            del holders[slot]
            if not holders:
                del self._held[term]
                if _has_family(term):
                    self._families[term[:_FAMILY]].discard(term)

    def settle(self) -> None:
        """Weigh each length against the mean."""
        mean = max(1.0, self._total / max(1, self._count))
        norms = [_K1 * (1 - _B) + _K1 * _B / mean * length for length in range(self._longest + 1)]
        self._worth = [[n * (_K1 + 1) / (n + norm) for norm in norms] for n in range(_MOST_OFTEN + 1)]

    def rarity(self, term: str) -> float:
        """How much a term tells: greater the fewer facts hold it (BM25's idf)."""
        holders = len(self._held.get(term, ()))
        return log(1 + (self._count - holders + 0.5) / (holders + 0.5))

    def family(self, term: str) -> Iterable[str]:
        """Terms that begin like this one, itself among them if any fact holds it."""
        return self._families.get(term[:_FAMILY], ()) if _has_family(term) else ()

    def score(self, asked: Mapping[str, float]) -> dict[int, float]:
        """The slots that hold an asked term, each with what its terms weigh; the weightiest go first."""
        known = ((term, weight) for term, weight in asked.items() if term in self._held)
        chosen = nlargest(_LOOKED_UP, known, key=lambda each: (each[1], each[0]))
        scores: dict[int, float] = {}
        for term, weight in chosen:
            holders = self._held[term]
            weak = weight < _WEAK * chosen[0][1]
            if self._only_tells_apart(len(holders), len(scores), weak):
                holders = {slot: holders[slot] for slot in scores if slot in holders}
            self._accumulate(scores, holders, weight)
        return scores

    def _only_tells_apart(self, holders: int, found: int, weak: bool) -> bool:
        """Whether a term so common or weak would only add facts that nothing else speaks for."""
        if found >= ENOUGH:
            return weak or holders > max(ENOUGH, self._count * _COMMON_SHARE)
        return found > 0 and holders > max(_EVERYWHERE, self._count * _EVERYWHERE_SHARE)

    def _accumulate(self, scores: dict[int, float], holders: Mapping[int, int], weight: float) -> None:
        worth, lengths, score = self._worth, self._lengths, scores.get
        for slot, times in holders.items():
            scores[slot] = score(slot, 0.0) + weight * worth[times][lengths[slot]]


def _has_family(term: str) -> bool:
    return len(term) >= _FAMILY and term.isascii() and term.isalpha()
