"""Facts that can be searched: an index in memory, brought up to date by what changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from operator import is_

from memory.dates import day_terms, written_days
from memory.document import Fact
from memory.neighbours import Batch, Neighbours, batch_of
from memory.postings import ENOUGH, Postings
from memory.query import Query, understand
from memory.words import terms

# Bonuses, as shares of the score: a fact that tells a time where one asks when, and a fact about the one
# that is named rather than one that only mentions them.
_TELLS_WHEN = 0.25
_IS_ABOUT = 0.3
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|recently|since|(?:19|20)\d\d|weekend|"
    r"january|february|march|april|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|weeks?|months?|years?|days?)\b"
    r"|昨天|今天|明天|前天|后天|上周|下周|去年|明年|今年|\d\s*[年月日号]|月底|周末",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A fact with what was read from it once."""

    fact: Fact
    bag: tuple[str, ...]
    subject: frozenset[str]
    dated: bool
    batch: Batch | None


_GONE = _Entry(Fact("", ""), (), frozenset(), False, None)


class FactIndex:
    """One person's facts by relevance. Searches may run at the same time; an update needs to be alone."""

    def __init__(self, facts: Sequence[Fact] = ()) -> None:
        self._postings = Postings()
        self._neighbours = Neighbours()
        self._entries: list[_Entry] = []
        self._free: list[int] = []
        self._dated: set[int] = set()
        self._about: dict[str, set[int]] = {}
        self._slots: dict[str, int] = {}
        self._places: dict[int, int] = {}
        self._resting: tuple[Fact, ...] = ()
        self._given: tuple[Fact, ...] = ()
        self.update(facts)

    def update(self, facts: Sequence[Fact]) -> None:
        """Hold exactly these facts, in this order; only those that are new or changed are read."""
        given = tuple(facts)
        known = len(self._given)
        new = given[known:]
        same = len(given) >= known and all(map(is_, self._given, given))
        if same and self._slots.keys().isdisjoint(fact.id for fact in new):
            self._append(new)
        else:
            self._replace(given)
        self._given = given

    def _append(self, new: Sequence[Fact]) -> None:
        if len({fact.id for fact in new}) < len(new):
            self._replace((*self._given, *new))
            return
        for fact in new:
            slot = self._add(fact.id, _read(fact))
            self._places[slot] = len(self._places)
            self._neighbours.append(slot, self._entries[slot].batch)
        if new:
            self._settle()

    def _replace(self, given: Sequence[Fact]) -> None:
        wanted = dict(_named_once(given))
        for name in self._slots.keys() - wanted.keys():
            self._remove(name)
        for name, fact in wanted.items():
            self._hold(name, fact)
        self._places = {self._slots[name]: place for place, name in enumerate(wanted)}
        self._neighbours.arrange((slot, self._entries[slot].batch) for slot in self._places)
        self._settle()

    def _settle(self) -> None:
        self._postings.settle()
        self._resting = ()

    def __len__(self) -> int:
        return len(self._slots)

    def by_confidence(self) -> tuple[Fact, ...]:
        """All facts, surest first, of equals the one that was last said again or learned."""
        if len(self._resting) != len(self._slots):
            slots = sorted(self._slots.values(), key=self._rest, reverse=True)
            self._resting = tuple(self._entries[slot].fact for slot in slots)
        return self._resting

    def all_but(self, found: Sequence[Fact]) -> Iterator[Fact]:
        """The facts that were not found, in the order of `by_confidence`."""
        resting = self.by_confidence()
        known = set(map(id, found))
        return (fact for fact in resting if id(fact) not in known)

    def _rest(self, slot: int) -> tuple[float, str, int]:
        fact = self._entries[slot].fact
        return fact.confidence, fact.confirmed_at or fact.created_at, self._places[slot]

    def search(self, messages: Sequence[str], limit: int = 300) -> list[tuple[Fact, float]]:
        """The facts that messages, oldest first, are about: best first, scores divided by the best one."""
        query = understand(messages, self._postings)
        hits = self._best(self._postings.score(query.weights), ENOUGH)
        if not hits or limit < 1:
            return []
        found = self._best(self._neighbours.spread(self._sharpen(hits, query)), limit)
        best = found[0][1]
        entries = self._entries
        return [(entries[slot].fact, score / best) for slot, score in found]

    def _sharpen(self, hits: list[tuple[int, float]], query: Query) -> list[tuple[int, float]]:
        about = set().union(*(self._about.get(term, ()) for term in query.named))
        dated = self._dated if query.asks_when else ()
        return [
            (slot, score * (1 + _TELLS_WHEN * (slot in dated)) * (1 + _IS_ABOUT * (slot in about)))
            for slot, score in hits
        ]

    def _best(self, scores: dict[int, float], limit: int) -> list[tuple[int, float]]:
        """The slots of highest score, of equals the newest first."""
        floor = 0.0
        if len(scores) > limit:
            floor = nlargest(limit, scores.values())[-1]
        places = self._places
        kept = [(score, places[slot], slot) for slot, score in scores.items() if score >= floor]
        kept.sort(reverse=True)
        return [(slot, score) for score, _, slot in kept[:limit]]

    def _hold(self, name: str, fact: Fact) -> None:
        """Read a fact that is new, or says something else now."""
        slot = self._slots.get(name)
        if slot is None:
            self._add(name, _read(fact))
        elif _says_the_same(self._entries[slot].fact, fact):
            if self._entries[slot].fact is not fact:
                self._entries[slot] = replace(self._entries[slot], fact=fact)
        else:
            self._remove(name)
            self._add(name, _read(fact))

    def _add(self, name: str, entry: _Entry) -> int:
        slot = self._free.pop() if self._free else len(self._entries)
        if slot == len(self._entries):
            self._entries.append(entry)
        else:
            self._entries[slot] = entry
        self._slots[name] = slot
        self._postings.add(slot, entry.bag)
        for term in entry.subject:
            self._about.setdefault(term, set()).add(slot)
        if entry.dated:
            self._dated.add(slot)
        return slot

    def _remove(self, name: str) -> None:
        slot = self._slots.pop(name)
        entry = self._entries[slot]
        self._entries[slot] = _GONE
        self._free.append(slot)
        self._postings.remove(slot, entry.bag)
        for term in entry.subject:
            self._about[term].discard(slot)
        self._dated.discard(slot)


def _named_once(facts: Sequence[Fact]) -> Iterator[tuple[str, Fact]]:
    """Each fact under its id; where a file edited by hand holds an id twice, under a name of its own."""
    seen: dict[str, Fact] = {}
    for place, fact in enumerate(facts):
        name = fact.id
        if name in seen:
            if fact in seen.values():
                continue
            name = f"{fact.id}\0{place}"
        seen[name] = fact
        yield name, fact


def _says_the_same(one: Fact, two: Fact) -> bool:
    """Whether nothing changed that `_read` reads."""
    return one is two or (
        one.content == two.content
        and one.subject == two.subject
        and one.keywords == two.keywords
        and one.created_at == two.created_at
        and one.source == two.source
    )


def _read(fact: Fact) -> _Entry:
    subject = terms(fact.subject)
    keywords = [term for keyword in fact.keywords for term in terms(keyword)]
    days = [*written_days(fact.content), *day_terms(fact.created_at)]
    bag = (*terms(fact.content), *days, *subject, *keywords)
    return _Entry(fact, bag, frozenset(subject), bool(_TIME.search(fact.content)), batch_of(fact))
