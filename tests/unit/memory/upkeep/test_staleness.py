"""Facts whose day is over, or that nobody said for a year, count as less sure; nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parley.memory.model.document import Category
from parley.memory.upkeep.staleness import is_stale, lower, lower_facts
from tests.kit.samples.memories import at, fact, stored

PLAN = fact(1, f"Flies to Rome on {at(20)[:10]}")


@pytest.mark.parametrize(
    ("kept", "day", "stale"),
    [
        (PLAN, 40, False),  # its day is over, but not for long
        (PLAN, 51, True),
        (fact(1, f"Met Kim on {at(-20)[:10]}"), 51, False),  # it had happened: that stays true
        (fact(1, "Lives in Oslo"), 364, False),
        (fact(1, "Lives in Oslo"), 366, True),
        (fact(1, "Lives in Oslo", confirmed_at=at(300)), 400, False),
        (fact(1, "Lives in Oslo", until=at(2)[:10]), 400, False),
        (fact(1, "Lives in Oslo", source="manual"), 400, False),
        (fact(1, "Uses uv", category=Category.CORRECTION), 400, False),
        (fact(1, "Never use emojis", category=Category.INSTRUCTION), 400, False),
        (fact(1, "Lives in Oslo", created_at=""), 400, False),
        (fact(1, "Gives a talk on 4. Mai 2027 in Bonn"), 3000, True),
    ],
)
def test_what_may_no_longer_hold(kept, day, stale):
    assert is_stale(kept, at(day)) is stale


def test_it_is_lowered_once_until_it_is_said_again_and_its_text_stays():
    lowered = lower(PLAN, at(60))
    assert (lowered.confidence, lowered.content, lowered.until) == (0.64, PLAN.content, "")
    assert not is_stale(lowered, at(900))
    assert is_stale(replace(lowered, confirmed_at=at(61)), at(900))
    memory = stored(PLAN, fact(2, "Has a dog"))
    assert lower_facts(memory, [PLAN], at(60)).document.facts == (lowered, fact(2, "Has a dog"))
    assert lower_facts(memory, [PLAN], at(60)).notes.past == ()
