"""An index that is brought up to date is as good as a fresh one."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.memory.model.document import Fact
from parley.memory.search.index import FactIndex

WORDS = [
    "tea",
    "coffee",
    "garden",
    "piano",
    "runs",
    "running",
    "photo",
    "photography",
    "dog",
    "pet",
    "茶",
    "花园",
    "May 4",
]
CONTENTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
DAYS = st.sampled_from(["", "2024-05-04T10:00:00Z", "2024-05-05T10:00:00Z"])
SOURCES = st.sampled_from(["thread-1", "thread-2", "manual"])
SUBJECTS = st.sampled_from(["", "Anna", "garden"])
CONFIDENCES = st.sampled_from([0.5, 0.7, 0.9])
FACTS = st.builds(
    Fact,
    id=st.integers(0, 12).map(str),
    content=CONTENTS,
    confidence=CONFIDENCES,
    created_at=DAYS,
    source=SOURCES,
    subject=SUBJECTS,
)
MEMORIES = st.lists(FACTS, max_size=12, unique_by=lambda fact: fact.id)
QUESTIONS = st.lists(CONTENTS, max_size=3)


@given(st.lists(MEMORIES, min_size=1, max_size=5), QUESTIONS)
@settings(deadline=None)
def test_after_any_updates_it_finds_what_a_fresh_index_finds(states, questions):
    index = FactIndex(())
    for facts in states:
        index.update(facts)
    fresh = FactIndex(states[-1])
    assert index.search(questions) == fresh.search(questions)
    assert index.by_confidence() == fresh.by_confidence()
    assert len(index) == len(states[-1])


@given(MEMORIES, MEMORIES, QUESTIONS)
@settings(deadline=None)
def test_what_was_removed_is_never_found_and_nothing_is_found_twice(before, after, questions):
    index = FactIndex(before)
    index.update(after)
    found = [fact for fact, _ in index.search(questions)]
    assert set(found) <= set(after)
    assert len({fact.id for fact in found}) == len(found)


@given(st.lists(st.text(max_size=40), max_size=8), st.lists(st.text(max_size=60), max_size=4))
@settings(deadline=None)
def test_any_text_at_all_works(contents, messages):
    facts = [Fact(str(place), content) for place, content in enumerate(contents)]
    found = FactIndex(facts).search(messages)
    assert {fact for fact, _ in found} <= set(facts)


@given(MEMORIES, MEMORIES, QUESTIONS)
@settings(deadline=None)
def test_facts_that_are_added_at_the_end_are_found_as_in_a_fresh_index(before, more, questions):
    index = FactIndex(before)
    index.update([*before, *more])
    fresh = FactIndex([*before, *more])
    assert index.search(questions) == fresh.search(questions)
    assert index.by_confidence() == fresh.by_confidence()


def test_the_same_fact_twice_is_one():
    fact = Fact("a", "User likes tea")
    index = FactIndex([fact, fact])
    index.update([fact, fact, Fact("b", "User likes jazz")])
    assert [found.id for found, _ in index.search(["tea"])] == ["a"]
    assert len(index) == 2


def test_a_fact_that_changed_is_found_as_it_is_now():
    index = FactIndex([Fact("a", "User likes tea"), Fact("b", "User likes jazz")])
    index.update([Fact("a", "User likes coffee"), Fact("b", "User likes jazz")])
    assert [fact.content for fact, _ in index.search(["tea or coffee"])] == ["User likes coffee"]


def test_a_fact_confirmed_again_comes_back_as_it_is_now():
    fact = Fact("a", "User likes tea", confidence=0.7)
    surer = replace(fact, confidence=0.9, confirmed_at="2024-05-04T10:00:00Z")
    index = FactIndex([fact])
    index.update([surer])
    assert index.search(["tea"]) == [(surer, 1.0)]
    assert index.by_confidence() == (surer,)


def test_after_a_memory_is_read_again_its_facts_are_those_that_were_read():
    index = FactIndex([Fact("a", "User likes tea")])
    again = Fact("a", "User likes tea")
    index.update([again])
    assert index.search(["tea"])[0][0] is index.by_confidence()[0] is again


def test_facts_that_moved_apart_are_no_longer_neighbours():
    learned: dict[str, Any] = {"source": "thread-1", "created_at": "2024-05-04T10:00:00Z"}
    oven, dough = Fact("a", "User has an oven", **learned), Fact("b", "The dough rests", **learned)
    other = Fact("c", "User swims", source="thread-2", created_at="2024-05-04T10:00:00Z")
    index = FactIndex([oven, dough, other])
    beside = {fact.id: score for fact, score in index.search(["oven"])}
    index.update([oven, other, dough])
    apart = {fact.id: score for fact, score in index.search(["oven"])}
    assert beside["b"] > apart["b"]


def test_one_id_twice_in_a_file_edited_by_hand_hides_neither_fact():
    facts = [Fact("a", "User likes tea"), Fact("a", "User likes jazz")]
    index = FactIndex(facts)
    assert {fact for fact, _ in index.search(["tea and jazz"])} == set(facts)
    assert set(index.by_confidence()) == set(facts)


def test_of_facts_that_were_read_again_with_one_more_what_is_found_is_what_was_read():
    index = FactIndex([Fact("a", "User likes tea"), Fact("b", "User likes jazz")])
    again = [Fact("a", "User likes tea"), Fact("b", "User likes jazz"), Fact("c", "User sells tea")]
    index.update(again)
    found = {fact.id: fact for fact, _ in index.search(["tea and jazz"])}
    assert all(found[fact.id] is fact for fact in again)
    assert {id(fact) for fact in index.by_confidence()} == {id(fact) for fact in again}


def test_a_surer_fact_that_is_added_comes_first_though_the_order_was_asked_for_before():
    index = FactIndex([Fact("a", "User likes tea", confidence=0.7), Fact("b", "User swims", confidence=0.9)])
    assert [fact.id for fact in index.by_confidence()] == ["b", "a"]
    index.update([*reversed(index.by_confidence()), Fact("c", "User sings", confidence=0.8)])
    assert [fact.id for fact in index.by_confidence()] == ["b", "c", "a"]
