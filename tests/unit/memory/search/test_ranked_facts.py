"""Facts in the order of a ranking: all of them, each once, and of a large memory no more than are read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from parley.memory.inject.block import build_block
from parley.memory.inject.essentials import essentials_first, is_essential
from parley.memory.inject.line_cache import LineCache
from parley.memory.model.document import Category, Fact, MemoryDocument
from parley.memory.options import MemoryOptions
from parley.memory.search.index import FactIndex
from parley.memory.search.ranked_facts import RankedFacts
from parley.memory.search.ranking import rank_lazily
from parley.memory.text.token_counting import CharacterCounter

KINDS = (Category.CONTEXT, Category.CORRECTION, Category.PREFERENCE)
FACTS = tuple(
    Fact(str(n), f"Owns boat number {n}", KINDS[n % 3], 0.5 + n % 7 / 20, shared=n % 2 == 0)
    for n in range(90)
)


class Counted(tuple[Fact, ...]):
    """Facts that know how many of them were looked at."""

    read = 0

    def __iter__(self) -> Iterator[Fact]:
        for fact in super().__iter__():
            Counted.read += 1
            yield fact


@pytest.mark.parametrize("question", ["which boat has number 12?", "hello there"])
def test_each_fact_comes_once_and_a_kind_comes_in_the_same_order(question: str) -> None:
    ranked = rank_lazily(FactIndex(FACTS), [question], MemoryOptions())
    order = list(ranked)
    assert sorted(int(fact.id) for fact in order) == list(range(90))
    for kind in (*KINDS, "none"):
        assert ranked.of_kind(kind) == [fact for fact in order if fact.category == kind]
    aloud = ranked.only(lambda fact: fact.shared)
    assert list(aloud) == [fact for fact in order if fact.shared]
    late = aloud.only(lambda fact: int(fact.id) > 50)
    assert list(late) == [fact for fact in order if fact.shared and int(fact.id) > 50]
    assert late.of_kind(KINDS[0]) == [fact for fact in late if fact.category == KINDS[0]]


def test_a_kind_is_found_without_its_list_too() -> None:
    ranked = RankedFacts(FACTS[:10], FACTS[10:])
    assert ranked.of_kind(KINDS[1]) == [fact for fact in FACTS if fact.category == KINDS[1]]


def test_what_always_matters_comes_first_and_is_looked_for_once() -> None:
    facts = (*FACTS[:60], Fact("name", "Is called Ann", confidence=0.1), *FACTS[60:])
    index, lines = FactIndex(facts), LineCache()
    ranked = rank_lazily(index, ["which boat has number 12?"], MemoryOptions())
    essential = [fact for fact in ranked if is_essential(fact)]
    order = list(essentials_first(ranked, lines.essentials(ranked.resting)))
    assert order == essential + [fact for fact in ranked if not is_essential(fact)]
    assert lines.essentials(ranked.resting) is lines.essentials(index.by_confidence())
    without = [fact for fact in facts if fact.id != "name"]
    index.update(without)
    assert "name" not in {fact.id for fact in lines.essentials(index.by_confidence())}


@pytest.mark.parametrize("private", [True, False])
def test_a_block_of_a_large_memory_looks_at_few_of_its_facts(private: bool) -> None:
    many = tuple(Fact(f"fact{n}", f"Owns boat number {n}", shared=True) for n in range(10_000))
    index = FactIndex(many)
    index.by_confidence()
    index._resting = Counted(index._resting)
    Counted.read = 0
    options = MemoryOptions(max_injection_tokens=500)
    ranked = rank_lazily(index, ["Which boat has number 77?"], options)
    told = build_block(MemoryDocument(facts=many), ranked, options, CharacterCounter(), private=private)
    assert "Owns boat number 77" in told
    assert 0 < Counted.read < 500
