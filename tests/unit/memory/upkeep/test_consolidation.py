"""A model merges facts that nearly say the same: what it proposes is checked, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parley.memory.edits.operations import undo
from parley.memory.learning.extraction.diff import Diff, Judgement, ProposedFact, Relation, SummaryChange
from parley.memory.model.document import Category, Summaries, Summary
from parley.memory.search.index import FactIndex
from parley.memory.upkeep.consolidation import UpkeepMaterial, consolidate, find_material
from parley.memory.upkeep.soundness import stands_for
from tests.kit.samples.memories import at, fact, stored, texts

ONE = fact(1, "Plays tennis with Kim every Monday evening", 0.8, keywords=("sport",))
TWO = fact(2, "Plays tennis with Kim on Monday in Bonn", 0.9, day=3, accounts=("slack:1",))
DOG = fact(3, "Has a dog called Rex")
BOTH = "Plays tennis with Kim every Monday evening in Bonn"
OLD = at(30)


def material(memory):
    return find_material(memory, FactIndex(memory.document.facts), OLD)


def proposal(content, *ids):
    judged = tuple(Judgement(each, Relation.SAME) for each in ids)
    return Diff((ProposedFact(content, confidence=0.9, judgements=judged),))


def merged(content, *ids, memory=None):
    memory = memory or stored(ONE, TWO, DOG)
    return consolidate(memory, proposal(content, *ids), material(memory), at(40))


def test_what_is_near_is_shown_and_becomes_one_that_says_all_of_it():
    memory = stored(ONE, TWO, DOG)
    assert [texts(group) for group in material(memory).groups] == [[ONE.content, TWO.content]]
    assert "Rex" not in material(memory).render()
    after = merged(BOTH, ONE.id, TWO.id)
    kept, dog = after.document.facts
    assert (kept.id, kept.content, kept.confidence, kept.keywords) == (ONE.id, BOTH, 0.9, ("sport",))
    assert kept.accounts == ("", "slack:1")
    assert dog == DOG
    undone = undo(after, at(41))
    assert undone is not None
    assert undone.document.facts == (ONE, TWO, DOG)


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ("Plays tennis with Kim every Monday evening", (ONE.id, TWO.id)),  # Bonn is lost
        ("Plays tennis every Monday evening in Bonn", (ONE.id, TWO.id)),  # Kim is lost
        ("Plays tennis with Kim and Bob every Monday evening in Bonn", (ONE.id, TWO.id)),  # Bob is new
        ("Plays tennis with Kim every Monday evening in Bonn at 7", (ONE.id, TWO.id)),  # 7 is new
        ("Meets Kim in Bonn on Monday", (ONE.id, TWO.id)),  # the words are lost
        (BOTH, (ONE.id,)),
        (BOTH + " with Rex the dog", (ONE.id, DOG.id)),  # not of one group
        (BOTH, (ONE.id, "fact_none")),
    ],
)
def test_what_loses_or_adds_something_changes_nothing(content, ids):
    memory = stored(ONE, TWO, DOG)
    assert merged(content, *ids, memory=memory) is memory


SOUND = (
    ("Has two cats called Mia and Tom", ["Has 2 cats", "Has two cats called Mia and Tom"]),
    ("Runs 5 km every Monday, in Ulm with Kim", ["Runs 5 km every Monday", "Runs 5 km in Ulm with Kim"]),
    ("Mag keinen Kaffee, keinen Kuchen", ["Mag keinen Kaffee", "Mag keinen Kaffee, keinen Kuchen"]),
    ("用户很喜欢喝绿茶", ["用户喜欢喝绿茶", "用户很喜欢喝茶"]),
    ("Pays 1200 euros for a flat", ["Pays 1,200 euros for a flat", "Pays 1200 euros"]),
)
UNSOUND = (
    ("Plays tennis in Bonn and hates dogs", ["Plays tennis", "Plays tennis in Bonn"]),  # dogs are new
    ("Works in Bonn", ["Works in Bonn since 2019-05-08", "Works in Bonn"]),  # a date is lost
    (
        "Works in Bonn since 2019-05-09",
        ["Works in Bonn since 2019-05-08", "Works in Bonn"],
    ),  # and another one
    ("Trinkt gern Tee", ["Trinkt gern Tee mit Anna", "Trinkt gern Tee"]),  # a German name
    ("Mag Kaffee", ["Mag keinen Kaffee", "Mag keinen Kaffee"]),  # a German negation
    ("N'aime pas le café", ["Aime le café", "N'aime pas le café"]),  # they contradict each other
    ("Rex barks", ["Rex barks loudly", "Rex barks"]),
    ("Barks loudly", ["Rex barks loudly", "Barks loudly"]),  # a name at the beginning
    ("用户和朋友去北京", ["用户和小红去北京", "用户去北京"]),
    ("用户去北京", ["用户和小红去北京", "用户去北京"]),  # a Chinese name
    ("用户有两只猫", ["用户有三只猫", "用户有三只猫"]),
    ("用户喜欢喝茶", ["用户不喜欢喝茶", "用户不喜欢喝茶"]),
    ("Kim has 3 cats and Bob has 2 cats", ["Kim has 2 cats", "Bob has 3 cats"]),  # they are exchanged
    ("Bob owes Kim 5 euros", ["Kim owes Bob 5 euros", "Kim owes Bob 5 euros"]),
    ("Is allergic to peanuts", ["Is allergic to peanuts and seafood", "Is allergic to peanuts"]),
    ("Uses iOS", ["Uses macOS", "Uses iOS"]),
    ("Мария любит чай", ["Мария и Анна любят чай", "Мария любит чай"]),
    ("Likes tea at 10:30", ["Likes tea at 10:30", "Likes tea at 10:45"]),
)


@pytest.mark.parametrize(("text", "sources"), SOUND)
def test_a_text_that_says_all_that_they_say_stands_for_them(text, sources):
    assert stands_for(text, sources)


@pytest.mark.parametrize(("text", "sources"), UNSOUND)
def test_a_text_that_loses_adds_or_exchanges_something_does_not(text, sources):
    facts = [fact(number, source, 0.8) for number, source in enumerate(sources, 1)]
    memory, shown = stored(*facts), UpkeepMaterial((tuple(facts),))
    diff = proposal(text, *(each.id for each in facts))
    assert consolidate(memory, diff, shown, at(40)) is memory


@pytest.mark.parametrize(
    "change",
    [
        {"source": "manual"},
        {"until": "2020"},
        {"shared": True},
        {"subject": "Bob"},
        {"category": Category.CORRECTION},
    ],
)
def test_what_must_stay_by_itself_is_not_shown(change):
    assert not material(stored(ONE, replace(TWO, **change)))


def test_what_changed_meanwhile_is_left():
    memory, before = stored(ONE, replace(TWO, content="Gave up tennis")), stored(ONE, TWO)
    assert consolidate(memory, proposal(BOTH, ONE.id, TWO.id), material(before), at(40)) is memory


def test_an_old_summary_moves_into_the_earlier_one_whole_or_not_at_all():
    recent, earlier = Summary("Moved to Bonn. Learned Go.", at(1)), Summary("Studied in Oslo.", at(0))
    memory = stored()
    memory = replace(
        memory, document=replace(memory.document, summaries=Summaries(recent=recent, earlier=earlier))
    )
    assert "Moved to Bonn" in material(memory).render()

    def after(was, now):
        changes = (SummaryChange("earlierContext", was), SummaryChange("recentMonths", now, shrinks=True))
        return consolidate(memory, Diff(summaries=changes), material(memory), at(40)).document.summaries

    moved = after("Studied in Oslo. Moved to Bonn.", "Learned Go.")
    assert (moved.earlier.text, moved.recent.text) == ("Studied in Oslo. Moved to Bonn.", "Learned Go.")
    assert after("Studied in Oslo.", "Learned Go.") == memory.document.summaries
    assert after("Studied in Oslo. Moved to Bonn, Ulm.", "Learned Go.") == memory.document.summaries
    fresh = replace(
        memory,
        document=replace(memory.document, summaries=Summaries(recent=replace(recent, updated_at=at(35)))),
    )
    assert not material(fresh)
