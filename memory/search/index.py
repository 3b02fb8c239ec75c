"""In-memory full-text index of facts, updated incrementally."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parley.memory.model.document import Fact
from parley.memory.search.date_terms import day_terms, written_days
from parley.memory.search.neighbours import Batch, Neighbours, batch_of
from parley.memory.search.postings import ENOUGH, Postings
from parley.memory.search.query import Query, TermGroup, parse_query, term_groups
from parley.memory.search.ranked_facts import RankedFacts, ranked_facts
from parley.memory.text.languages import ENGLISH, language_words
from parley.memory.text.search_terms import search_words, terms

# Score factors: for facts with a time where the query asks when, and for facts about a named person, as
# opposed to facts that only mention them.
_TELLS_WHEN = 1.25
_IS_ABOUT = 1.8
# For facts that held before: where the query asks for such, and where it does not.
_PAST, _PAST_UNASKED = 2.0, 0.2
# The share of what is asked that a fact about it answers, and of a message that concerns the facts.
_ANSWERED, _CONCERNED = 0.5, 0.2
_FEW = 40
_TIME = """
    yesterday today tonight tomorrow ago last next recently since weekend
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    week weeks month months year years day days
"""
_TIME_WORDS = frozenset(_TIME.split()) | {str(year) for year in range(1900, 2100)}
_WORD = re.compile(r"\w+")
_EAST_ASIAN_TIME = re.compile(
    r"昨天|今天|明天|前天|后天|上周|下周|去年|明年|今年|\d\s*[年月日号년월일]|月底|周末|昨日|今日|明日"
    r"|先週|来週|先月|来月|昨年|来年|曜日"
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """The indexed values of a fact."""

    bag: tuple[str, ...]
    subject: frozenset[str]
    dated: bool
    past: bool
    batch: Batch | None


_GONE = _Entry((), frozenset(), False, False, None)


class FactIndex:
    """Index of one person's facts. Searches may run concurrently; an update needs exclusive access."""

    def __init__(self, facts: Sequence[Fact] = ()) -> None:
        self._postings = Postings()
        self._neighbours = Neighbours()
        self._entries: list[_Entry] = []
        self._free: list[int] = []
        self._dated: set[int] = set()
        self._past: set[int] = set()
        self._about: dict[str, set[int]] = {}
        self._slots: dict[str, int] = {}
        # The facts in order, and for each slot the index of its fact.
        self._facts: tuple[Fact, ...] = ()
        self._places: list[int] = []
        # Slots by ascending and facts by descending confidence; empty until first needed.
        self._rising: list[int] = []
        self._resting: tuple[Fact, ...] = ()
        self._kinds: dict[str, list[Fact]] = {}
        self.update(facts)

    def update(self, facts: Sequence[Fact]) -> None:
        """Index exactly these facts, in this order; only new or changed ones are read."""
        given = tuple(facts)
        known = len(self._facts)
        new = given[known:]
        # Equal facts may be new objects: results are always the objects given last.
        if given[:known] == self._facts and self._has_none_of(new):
            self._append(given, new)
        else:
            self._replace(given)
        self._resting = ()

    def _has_none_of(self, new: Sequence[Fact]) -> bool:
        names = {fact.id for fact in new}
        return len(names) == len(new) and self._slots.keys().isdisjoint(names)

    def _append(self, given: tuple[Fact, ...], new: Sequence[Fact]) -> None:
        rising = bool(self._rising)
        placed = enumerate(new, len(self._facts))
        self._facts = given
        for place, fact in placed:
            slot = self._add(fact.id, _read(fact))
            self._places[slot] = place
            self._neighbours.append(slot, self._entries[slot].batch)
            if rising:
                insort(self._rising, slot, key=self._rest)
        if new:
            self._postings.settle()

    def _replace(self, given: Sequence[Fact]) -> None:
        wanted = dict(_named_once(given))
        for name in self._slots.keys() - wanted.keys():
            self._remove(name)
        for name, fact in wanted.items():
            self._hold(name, fact)
        self._facts = tuple(wanted.values())
        for place, name in enumerate(wanted):
            self._places[self._slots[name]] = place
        slots = [self._slots[name] for name in wanted]
        self._neighbours.arrange((slot, self._entries[slot].batch) for slot in slots)
        self._rising = []
        self._postings.settle()

    def __len__(self) -> int:
        return len(self._slots)

    def by_confidence(self) -> tuple[Fact, ...]:
        """Return all facts: what holds before what is past, by confidence and use, the last said first."""
        if len(self._resting) != len(self._facts):
            rising = self._rising or sorted(self._slots.values(), key=self._rest)
            self._rising = rising
            self._resting = tuple(map(self._fact, reversed(rising)))
            self._kinds = {}
            for fact in self._resting:
                self._kinds.setdefault(fact.category, []).append(fact)
        return self._resting

    def ranked(self, best: Sequence[Fact]) -> RankedFacts:
        """Return all facts: these, then the others in the order of `by_confidence`."""
        return ranked_facts(best, self.by_confidence(), self._kinds)

    def _fact(self, slot: int) -> Fact:
        return self._facts[self._places[slot]]

    def _rest(self, slot: int) -> tuple[bool, float, int, str, int]:
        fact = self._fact(slot)
        said = fact.confirmed_at or fact.created_at
        return not fact.until, fact.confidence, fact.uses, said, self._places[slot]

    def search(self, messages: Sequence[str], limit: int = 300) -> list[tuple[Fact, float]]:
        """Return the facts relevant to messages (oldest first), best first, the best with score 1."""
        query = parse_query(messages, self._postings)
        hits = self._best(self._postings.score(query.weights), ENOUGH)
        if not hits or limit < 1:
            return []
        found = self._best(self._neighbours.spread(self._sharpen(hits, query)), limit)
        best = next(iter(found.values()))
        facts, places = self._facts, self._places
        return [(facts[places[slot]], score / best) for slot, score in found.items()]

    def concerns(self, messages: Sequence[str]) -> bool:
        """Return whether the messages concern anything that the facts say.

        They do if they name somebody or a day of which something is said, or if a fact answers a fair share
        of one of them. Numbers alone answer nothing: "What is 2+2?" is not about anybody's two cats. Any
        message concerns a few facts: words alone miss too much, and little would be saved.
        """
        if len(self._slots) <= _FEW:
            return True
        return any(self._is_about_facts(term_groups(message, self._postings)) for message in messages)

    def _is_about_facts(self, groups: Sequence[TermGroup]) -> bool:
        if any(group.word in self._about or (group.terms and group.word[0] == "#") for group in groups):
            return True
        answered = self._answered(groups)
        by_words = self._answered([group for group in groups if not group.word.isdigit()])
        least = _CONCERNED * sum(group.rarity for group in groups)
        return any(answered[slot] >= least for slot in by_words)

    def find_about(self, words: str, limit: int) -> list[tuple[Fact, float]]:
        """Return the facts that are about these words, best first; others that may be relevant are not.

        Such a fact answers at least half of what any fact answers, each word counted by its rarity.
        """
        groups = [group for group in term_groups(words, self._postings) if group.terms]
        least = _ANSWERED * sum(group.rarity for group in groups)
        query = parse_query([words], self._postings)
        scores = self._postings.score(query.weights)
        answered = self._answered(groups)
        about = {slot: scores.get(slot, 0.0) for slot, share in answered.items() if share >= least}
        best = self._best(dict(self._sharpen(about, query)), limit)
        return [(self._fact(slot), score) for slot, score in best.items()]

    def _answered(self, groups: Sequence[TermGroup]) -> dict[int, float]:
        """Return the slots that answer some of these words, with the rarities of the answered ones."""
        answered: dict[int, float] = {}
        for group in groups:
            for slot in {slot for term in group.terms for slot in self._postings.slots(term)}:
                answered[slot] = answered.get(slot, 0.0) + group.rarity
        return answered

    def _sharpen(self, hits: dict[int, float], query: Query) -> list[tuple[int, float]]:
        # Few hits and perhaps most facts: an intersection takes as long as the smaller one.
        about = [hits.keys() & self._about[term] for term in query.named if term in self._about]
        for slot in set().union(*about):
            hits[slot] *= _IS_ABOUT
        for slot in hits.keys() & self._dated if query.asks_when else ():
            hits[slot] *= _TELLS_WHEN
        for slot in hits.keys() & self._past if self._past else ():
            hits[slot] *= _PAST if query.asks_before else _PAST_UNASKED
        return list(hits.items())

    def _best(self, scores: dict[int, float], limit: int) -> dict[int, float]:
        """Return the slots of highest score, of equals the newest first."""
        kept = list(scores)
        if len(kept) > 2 * limit:
            floor = sorted(scores.values())[-limit]
            kept = [slot for slot, score in scores.items() if score >= floor]
        # Two plain sorts, of which the second keeps the order of equals, are faster than one of pairs.
        kept.sort(key=self._places.__getitem__, reverse=True)
        kept.sort(key=scores.__getitem__, reverse=True)
        return {slot: scores[slot] for slot in kept[:limit]}

    def _hold(self, name: str, fact: Fact) -> None:
        """Index a fact that is new or changed."""
        slot = self._slots.get(name)
        if slot is None:
            self._add(name, _read(fact))
        elif not _says_the_same(self._fact(slot), fact):
            self._remove(name)
            self._add(name, _read(fact))

    def _add(self, name: str, entry: _Entry) -> int:
        slot = self._free.pop() if self._free else len(self._entries)
        if slot == len(self._entries):
            self._entries.append(entry)
            self._places.append(-1)
        else:
            self._entries[slot] = entry
        self._slots[name] = slot
        self._postings.add(slot, entry.bag)
        for term in entry.subject:
            self._about.setdefault(term, set()).add(slot)
        if entry.dated:
            self._dated.add(slot)
        if entry.past:
            self._past.add(slot)
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
        self._past.discard(slot)


def _named_once(facts: Sequence[Fact]) -> Iterator[tuple[str, Fact]]:
    """Yield each fact by its id; a duplicate id, from a file edited by hand, gets a key of its own."""
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
    """Return whether nothing changed that `_read` reads."""
    return one is two or (
        one.content == two.content
        and one.subject == two.subject
        and one.keywords == two.keywords
        and one.created_at == two.created_at
        and one.source == two.source
        and one.valid_from == two.valid_from
        and one.until == two.until
    )


def _read(fact: Fact) -> _Entry:
    subject = terms(fact.subject)
    keywords = [term for keyword in fact.keywords for term in terms(keyword)]
    days = [*written_days(fact.content), *day_terms(fact.created_at)]
    days += [*day_terms(fact.valid_from), *day_terms(fact.until)]
    said = search_words(fact.content)
    bag = (*(term for word in said.words for term in word), *days, *subject, *keywords)
    dated = _tells_when(fact.content, said.language)
    return _Entry(bag, frozenset(subject), dated, bool(fact.until), batch_of(fact))


def _tells_when(text: str, language: str) -> bool:
    words = frozenset(_WORD.findall(text.lower()))
    if words & _TIME_WORDS or (language != ENGLISH and words & language_words(language).times):
        return True
    return not text.isascii() and bool(_EAST_ASIAN_TIME.search(text))
