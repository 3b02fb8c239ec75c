"""Lines are written and counted once, and again whenever anything about them is another."""

from __future__ import annotations

from dataclasses import replace

from parley.memory.inject.line_cache import LineCache
from parley.memory.inject.lines import fact_line
from parley.memory.model.document import Fact
from parley.memory.text.token_counting import CharacterCounter


class Letters:
    """Counts letters, and how often it was asked."""

    def __init__(self, *, exact: bool = True) -> None:
        self.exact = exact
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += 1
        return len(text)

    def wait(self, timeout: float) -> bool:
        return self.exact


TEA = Fact("fact_1", "The user likes tea", confidence=0.9)


def test_a_line_is_counted_once():
    counter, lines = Letters(), LineCache()
    line = fact_line(TEA)
    assert [lines.use_counter(counter)(TEA) for _ in range(3)] == [(line, len(line))] * 3
    assert counter.asked == 1
    assert lines.line(TEA) == line


def test_a_fact_that_changed_has_another_line():
    counter, lines = Letters(), LineCache()
    lines.price([TEA], counter)
    jazz = replace(TEA, content="The user likes jazz, and says so")
    assert lines.line(jazz) == lines.use_counter(counter)(jazz)[0] == fact_line(jazz)
    assert lines.use_counter(counter)(jazz)[1] == len(fact_line(jazz))


def test_another_counter_counts_anew_and_so_does_one_that_became_exact():
    lines, counter = LineCache(), Letters(exact=False)
    assert lines.use_counter(CharacterCounter())(TEA)[1] < lines.use_counter(counter)(TEA)[1]
    counter.exact = True
    lines.use_counter(counter)(TEA)
    assert counter.asked == 2


def test_what_cannot_be_seen_costs_nothing():
    counter = Letters()
    assert LineCache().use_counter(counter)(replace(TEA, content="\u200b")) == ("", 0)
    assert counter.asked == 0


def test_too_much_is_trim():
    counter, lines = Letters(), LineCache()
    facts = [replace(TEA, id=f"fact_{number}") for number in range(10)]
    lines.price(facts, counter)
    lines.trim(10)
    lines.price(facts, counter)
    assert counter.asked == 10
    lines.trim(9)
    lines.price(facts, counter)
    assert counter.asked == 20
