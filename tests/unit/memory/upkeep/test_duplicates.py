"""Without a model only what says the same is merged, with both its sources, and undone again."""

from __future__ import annotations

import pytest

from parley.core.ports.memory.port import FactOrigin
from parley.memory.edits.operations import undo
from parley.memory.model.document import Category
from parley.memory.search.index import FactIndex
from parley.memory.upkeep.duplicates import merge_duplicates
from tests.kit.samples.memories import at, fact, stored, texts

HERE, THERE = FactOrigin("web:a", "https://chat/1"), FactOrigin("web:b", "https://chat/2")


def merged(*facts):
    memory = stored(*facts)
    return merge_duplicates(memory, FactIndex(memory.document.facts), at(9))


def test_two_of_one_become_one_with_both_sources():
    one = fact(1, "Lives in Oslo.", 0.7, origin=HERE, accounts=("slack:1",))
    two = fact(2, "lives in oslo, because the sea is near", 0.9, day=3, origin=THERE)
    after = merged(one, fact(3, "Has a dog"), two)
    kept, dog = after.document.facts
    assert (kept.id, kept.content, kept.confidence) == (one.id, two.content, 0.9)
    assert (kept.origin, kept.also_said) == (HERE, (THERE,))
    assert kept.accounts == ("slack:1", "")
    assert (kept.created_at, kept.confirmed_at) == (at(0), at(3))
    assert dog.content == "Has a dog"
    undone = undo(after, at(10))
    assert undone is not None
    assert undone.document.facts == (one, fact(3, "Has a dog"), two)


@pytest.mark.parametrize(
    "other",
    [
        fact(2, "Lives in Bergen"),
        fact(2, "Does not live in Oslo"),
        fact(2, "Lives in Oslo", subject="Kim"),
        fact(2, "Lives in Oslo", shared=True),
        fact(2, "Lives in Oslo", until="2020"),
        fact(2, "Lives in Oslo", category=Category.CORRECTION),
    ],
)
def test_nothing_else_is_merged(other):
    assert texts(merged(fact(1, "Lives in Oslo"), other).document.facts) == ["Lives in Oslo", other.content]


def test_what_the_person_wrote_stays_theirs():
    after = merged(fact(1, "Lives in Oslo"), fact(2, "Lives in Oslo", day=1, source="manual"))
    (kept,) = after.document.facts
    assert kept.manual
