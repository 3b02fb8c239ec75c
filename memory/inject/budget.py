"""Allocation of a block's token budget; every cost is that of the rendered text.

Each piece begins with a visible character and ends with a line break, where tokenizers always split: so the
tokens of the pieces add up to those of the whole block.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from parley.memory.inject.line_cache import Price
from parley.memory.inject.lines import flatten, shortened_line, summary_line
from parley.memory.model.document import Category, Fact, Summaries
from parley.memory.search.ranked_facts import RankedFacts
from parley.memory.text.secrets.masking import mask_secrets
from parley.memory.text.token_counting import Counter

CORRECTIONS = 500
"""Tokens of the budget that corrections may take before anything else does; the reference system's."""
SUMMARIES = 0.5
"""The part of the budget that summaries may take."""
# Fewest tokens of any fact's line: with less left, the search stops.
_SMALLEST_LINE = 9
# Tokens of a usual line; with less left, the search stops after so many facts that do not fit.
_USUAL_LINE = 40
_PATIENCE = 100
# Fewest tokens for which a summary is worth cutting.
_SMALLEST_CUT = 12
# Nearly all tokens have at most so many characters; longer ones are runs of one sign.
_LONGEST_TOKEN = 16
_OWN = "User Context:\n"
_TITLES = {
    _OWN: {"workContext": "Work", "personalContext": "Personal", "topOfMind": "Current Focus"},
    "History:\n": {
        "recentMonths": "Recent", "earlierContext": "Earlier", "longTermBackground": "Background"
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """One summary: its title, its label and its text."""

    title: str
    label: str
    text: str


class FactSelection:
    """Facts selected for a block from `ranked`, within `left` tokens."""

    def __init__(self, ranked: RankedFacts, price: Price, left: int) -> None:
        self.left = left
        self._ranked = ranked
        self._price = price
        # Lines by the identity of their facts, each as it was taken: in the order of the ranking.
        self._first: dict[int, str] = {}
        self._taken: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self._first or self._taken)

    def lines(self) -> list[str]:
        """Return the guaranteed corrections first, then the others, each by rank."""
        return [*self._first.values(), *self._taken.values()]

    def take_best(self) -> None:
        """Take the first fact that fits; it is in the block whatever else is."""
        for fact in self._ranked:
            into = self._first if fact.category == Category.CORRECTION else self._taken
            if self._take(into, fact, self.left):
                return

    def take_corrections(self, most: int) -> None:
        """Take corrections by rank, up to `most` tokens; one that is too long is skipped."""
        floor = self.left - most
        for fact in self._ranked.of_kind(Category.CORRECTION):
            if self.left - floor < _SMALLEST_LINE:
                return
            if id(fact) not in self._first:
                self._take(self._first, fact, self.left - floor)

    def take_rest(self) -> None:
        """Take what fits, by rank, and skip what does not.

        For the last few tokens, the search does not go through all facts.
        """
        passed = 0
        for fact in self._ranked:
            if self.left < _SMALLEST_LINE or passed > _PATIENCE:
                return
            if (
                id(fact) in self._taken
                or id(fact) in self._first
                or len(fact.content) > self.left * _LONGEST_TOKEN
            ):
                continue
            if not self._take(self._taken, fact, self.left) and self.left < _USUAL_LINE:
                passed += 1

    def _take(self, into: dict[int, str], fact: Fact, most: int) -> bool:
        line, cost = self._price(fact)
        if not line or cost > most or cost > self.left:
            return False
        into[id(fact)] = line
        self.left -= cost
        return True


def summary_sections(summaries: Summaries, most: int, counter: Counter, *, facts: bool) -> list[str]:
    """Return the summary sections in at most `most` tokens; `facts` says that a facts section follows.

    Each entry has an equal share, and what short ones leave goes to the long ones, which are cut.
    """
    entries = [
        SummaryEntry(title, label, text)
        for title, label, text in _titled(summaries)
        if summary_line(label, text)
    ]
    room = most
    while room >= _SMALLEST_CUT:
        sections = _sections(_fitted(entries, room, counter), facts=facts)
        over = sum(map(counter.count, sections)) - most
        if over <= 0:
            return sections
        room -= over
    return []


def _titled(summaries: Summaries) -> Iterator[tuple[str, str, str]]:
    """Yield title, label and text of each summary; a topic of an operator's own is labelled by its name."""
    for title, labels in _TITLES.items():
        yield from ((title, label, summaries.get(name).text) for name, label in labels.items())
        if title is _OWN:
            yield from ((title, each.name, each.summary.text) for each in summaries.others)


def _sections(lines: Sequence[tuple[SummaryEntry, str]], *, facts: bool) -> list[str]:
    texts = []
    for title in _TITLES:
        own = "".join(line for entry, line in lines if entry.title == title and line)
        if own:
            texts.append(f"{title}{own}\n")
    if texts and not facts:
        texts[-1] = texts[-1].removesuffix("\n")
    return texts


def _fitted(entries: Sequence[SummaryEntry], room: int, counter: Counter) -> list[tuple[SummaryEntry, str]]:
    """Return each entry's line, in order; long ones cut to the share that the short ones leave them."""
    costs = {entry.label: counter.count(summary_line(entry.label, entry.text)) for entry in entries}
    left = room - sum(counter.count(title) for title in {entry.title for entry in entries})
    if sum(costs.values()) <= left:
        return [(entry, summary_line(entry.label, entry.text)) for entry in entries]
    lines = {}
    smallest_first = sorted(entries, key=lambda entry: costs[entry.label])
    for done, entry in enumerate(smallest_first):
        share = left // (len(entries) - done)
        line = summary_line(entry.label, entry.text)
        if costs[entry.label] > share:
            line = _cut(entry, share, counter, counter.exact)
        lines[entry.label] = line
        left -= counter.count(line)
    return [(entry, lines[entry.label]) for entry in entries]


@lru_cache(maxsize=256)
def _cut(entry: SummaryEntry, tokens: int, counter: Counter, exact: bool) -> str:
    """Return the longest beginning of an entry that fits its share; empty where that says nothing.

    Cached, as it takes some dozen counts; `exact` separates cuts by estimate from cuts by exact count.
    """
    if tokens < _SMALLEST_CUT:
        return ""
    body = mask_secrets(flatten(entry.text)).text[: tokens * _LONGEST_TOKEN]

    def cost(characters: int) -> int:
        return counter.count(shortened_line(entry.label, body, characters))

    fits = bisect_right(range(1, len(body)), tokens, key=cost)
    return shortened_line(entry.label, body, fits) if fits else ""
