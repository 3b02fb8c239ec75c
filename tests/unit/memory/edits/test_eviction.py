"""The cap: it always holds, and costs what matters least."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.memory.edits.eviction import PROTECTED_SHARE, evict
from parley.memory.edits.operations import add
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.learning.extraction.diff import Diff
from parley.memory.model.document import Category, Fact
from parley.memory.options import MemoryOptions
from tests.kit.samples.memories import CORRECTION, at, context, fact, news, stored, texts


def test_the_least_certain_goes_first():
    facts = [fact(n, f"Fact {n}", confidence) for n, confidence in enumerate((0.9, 0.7, 0.8))]
    assert texts(evict(facts, 2)) == ["Fact 0", "Fact 2"]


def test_of_equals_the_newer_wins():
    facts = [fact(n, f"Number {n} is lucky", 0.9, day=n) for n in range(10)]
    kept = apply_diff(
        stored(*facts), news("Lives in Rome"), context(20), MemoryOptions(max_facts=10)
    ).document.facts
    assert texts(kept) == [*(f"Number {n} is lucky" for n in range(1, 10)), "Lives in Rome"]


def test_learned_in_the_same_moment_the_later_is_the_newer():
    assert texts(evict([fact(1, "First"), fact(2, "Second")], 1)) == ["Second"]


def test_said_again_lately_counts_as_new():
    old = fact(1, "Said again", day=0, confirmed_at=at(9))
    assert texts(evict([old, fact(2, "Newer", day=5)], 1)) == ["Said again"]


def test_corrections_and_a_persons_own_words_are_protected():
    facts = [
        fact(1, "Corrected", 0.7, category=CORRECTION),
        fact(2, "Mine", 0.1, source="manual"),
        *(fact(n, f"Sure {n}", 1.0) for n in range(3, 12)),
    ]
    assert {"Corrected", "Mine"} <= set(texts(evict(facts, 4)))


def test_protection_ends_at_half_of_the_places_so_that_the_cap_holds():
    protected = [fact(n, f"Corrected {n}", 0.7, category=CORRECTION, day=n) for n in range(20)]
    others = [fact(n, f"Sure {n}", 1.0) for n in range(20, 30)]
    kept = texts(evict([*protected, *others], 10))
    assert len(kept) == 10
    assert [text for text in kept if text.startswith("Corrected")] == [
        f"Corrected {n}" for n in range(15, 20)
    ]


def test_a_persons_own_words_come_before_corrections():
    facts = [fact(n, f"Corrected {n}", 1.0, category=CORRECTION) for n in range(9)]
    facts.append(fact(9, "Mine", 0.1, source="manual"))
    assert "Mine" in texts(evict(facts, 2))


def test_what_a_person_adds_at_the_cap_is_kept():
    full = [fact(n, f"Number {n} is lucky", 1.0, source="manual") for n in range(5)]
    added = add(stored(*full), "Lives in Rome", at(9), most=5)
    assert "Lives in Rome" in texts(added.stored.document.facts)
    assert len(added.stored.document.facts) == 5


def test_the_same_cap_holds_when_it_was_lowered():
    memory = stored(*(fact(n, f"Number {n} is lucky") for n in range(50)))
    assert len(apply_diff(memory, Diff(), context(1), MemoryOptions(max_facts=7)).document.facts) == 7


facts_of_all_kinds = st.lists(
    st.builds(
        Fact,
        id=st.uuids().map(str),
        content=st.just("content"),
        category=st.sampled_from(Category),
        confidence=st.floats(0, 1),
        created_at=st.integers(0, 5).map(at),
        source=st.sampled_from(["manual", "thread"]),
        confirmed_at=st.one_of(st.just(""), st.integers(0, 5).map(at)),
    ),
    max_size=40,
    unique_by=lambda each: each.id,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts_of_all_kinds, st.integers(0, 45))
def test_the_cap_holds_and_no_protected_fact_is_lost_for_another(facts, most):
    kept = evict(facts, most)
    assert len(kept) == min(len(facts), most)
    assert list(kept) == [each for each in facts if each in kept]
    protected = [each for each in facts if each.manual or each.category is CORRECTION]
    safe = min(len(protected), int(most * PROTECTED_SHARE + 0.5))
    assert sum(each in kept for each in protected) >= safe
    exposed = [each for each in facts if each not in protected]
    lost = max((each.confidence for each in exposed if each not in kept), default=0)
    assert all(each.confidence >= lost for each in exposed if each in kept)
