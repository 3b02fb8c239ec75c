"""Cache of rendered fact lines and their token counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parley.memory.inject.essentials import is_essential
from parley.memory.inject.lines import fact_line
from parley.memory.model.document import Fact
from parley.memory.text.token_counting import CharacterCounter, Counter

Render = Callable[[Fact], str]
Price = Callable[[Fact], tuple[str, int]]
"""A fact's line, and its tokens."""


class LineCache:
    """The lines of one memory, each rendered and counted once for as long as its fact is the same.

    For one thread at a time.
    """

    def __init__(self, render: Render = fact_line) -> None:
        self._render = render
        self._kept: dict[str, tuple[Fact, str, int]] = {}
        self._counter: Counter = CharacterCounter()
        self._exact = False
        self._resting: Sequence[Fact] = ()
        self._essentials: list[Fact] = []

    def line(self, fact: Fact) -> str:
        """Return a fact's line; empty where it has no visible text."""
        kept = self._kept.get(fact.id)
        return kept[1] if kept is not None and kept[0] is fact else self._render(fact)

    def essentials(self, resting: Sequence[Fact]) -> Sequence[Fact]:
        """Return those of the facts that always matter; looked for once in the same sequence."""
        if resting is not self._resting:
            self._resting, self._essentials = resting, list(filter(is_essential, resting))
        return self._essentials

    def use_counter(self, counter: Counter) -> Price:
        """Return a function that prices lines with this counter; drops prices of another one."""
        if (counter, counter.exact) != (self._counter, self._exact):
            self._counter, self._exact = counter, counter.exact
            self._kept.clear()
        return self._price

    def price(self, facts: Iterable[Fact], counter: Counter) -> None:
        """Render and count the lines of these facts now."""
        price = self.use_counter(counter)
        for fact in facts:
            price(fact)

    def trim(self, most: int) -> None:
        """Clear the cache when it has more than `most` lines: most are then of facts that are gone."""
        if len(self._kept) > most:
            self._kept.clear()

    def _price(self, fact: Fact) -> tuple[str, int]:
        kept = self._kept.get(fact.id)
        if kept is None or kept[0] is not fact:
            line = self._render(fact)
            kept = self._kept[fact.id] = (fact, line, self._counter.count(line) if line else 0)
        return kept[1], kept[2]
