"""What holds and what held before: settled by time, kept, and shown as past."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parley.memory.edits.operations import add
from parley.memory.edits.supersede import contradict, settle_older
from parley.memory.inject.lines import classic_line, fact_line
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.model.document import MemoryDocument
from parley.memory.options import MemoryOptions
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank
from parley.memory.storage.document_format import document_json, read_document
from tests.kit.samples.memories import at, context, fact, news, stored, texts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Rome", "User lives in Oslo"),
        ("User lives in Rome", "User now lives in Oslo with Kim"),
        ("User's name is Ann", "User's name is Anna"),
        ("User works at or as Acme", "User works at Beta"),
        ("User's birthday is 4 May", "User's birthday is 5 May"),
        ("User is 41 years old", "User is 42 years old"),
        ("User's favourite colour is red", "User's favourite colour is blue"),
        ("User has 2 cats", "User has 3 cats"),
        ("User likes tea", "User does not like tea"),
        ("用户住在上海", "用户搬到了北京"),
        ("用户叫李雷", "用户叫韩梅"),
    ],
)
def test_of_what_there_is_one_the_later_holds(old, new):
    assert contradict(fact(1, old), fact(2, new))
    after = apply_diff(stored(fact(1, old)), news(new), context(2)).document.facts
    assert [(each.content, each.until) for each in after] == [(old, at(2)), (new, "")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Rome", "User lives in Rome"),
        ("User likes Rome", "User likes Oslo"),
        ("User's favourite colour is red", "User's favourite song is Blue"),
        ("User ran 5 km", "User ran 10 km"),
        ("User met Kim on 4 May 2025", "User met Kim on 5 May 2025"),
        ("User's sister Kim has 2 cats", "User has 3 cats"),
        ("用户去了2次北京", "用户去了3次北京"),
    ],
)
def test_what_may_well_both_hold_is_left_alone(old, new):
    after = apply_diff(stored(fact(1, old)), news(new), context(2)).document.facts
    assert not any(each.until for each in after)


def test_what_the_person_wrote_is_ended_by_their_own_words_only():
    mine = fact(1, "User lives in Rome", source="manual")
    after = apply_diff(stored(mine), news("User lives in Oslo"), context(2))
    assert not any(each.until for each in after.document.facts)
    again = add(after, "User lives in Bonn", at(3), 10).stored.document.facts
    assert [each.until for each in again] == [at(3), at(3), ""]


def test_an_older_statement_learned_later_ends_nothing():
    now = fact(1, "User lives in Oslo", day=5)
    after = apply_diff(stored(now), news("User lives in Rome"), context(2)).document.facts
    assert not after[0].until


def test_what_holds_again_is_past_no_more():
    rome = fact(1, "User lives in Rome", until=at(2))
    (again,) = apply_diff(stored(rome), news("User lives in Rome"), context(4)).document.facts
    assert (again.until, again.valid_from) == ("", at(4))


def test_a_past_fact_says_so_and_the_classic_form_has_none():
    rome = fact(1, "Lives in Rome", until="2026-06-01T00:00:00.000000Z")
    assert fact_line(rome).endswith(": Lives in Rome (past: until 2026-06-01)\n")
    assert fact_line(replace(rome, valid_from="2019")).endswith("(past: 2019 to 2026-06-01)\n")
    assert fact_line(replace(rome, until="", valid_from="2019-03")).endswith("(since 2019-03)\n")
    assert classic_line(rome) == ""


ROME, OSLO = fact(1, "User lives in Rome", 0.9, until=at(3)), fact(2, "User lives in Oslo", 0.8, day=3)
TEA = fact(3, "User likes tea", 0.7)


@pytest.mark.parametrize("question", ["Where do I live?", "我住在哪里 live", "hello"])
def test_what_is_past_comes_after_what_holds(question):
    order = texts(rank(FactIndex([ROME, OSLO, TEA]), [question], MemoryOptions()))
    assert order.index(OSLO.content) < order.index(ROME.content)


@pytest.mark.parametrize(
    "question",
    [
        "Where did I live before?",
        "Which city did I use to live in? Where I used to live",
        "我以前 live 在哪里",
        "Wo habe ich früher gewohnt, live?",
    ],
)
def test_what_is_past_is_found_where_it_is_asked_for(question):
    facts = [ROME, OSLO, *(fact(n, f"User lives with plant {n}", 0.7) for n in range(10, 30))]
    assert ROME.content in texts(rank(FactIndex(facts), [question], MemoryOptions()))[:2]


def test_dates_of_validity_are_found_and_survive_the_file():
    facts = (replace(ROME, valid_from="2019-03"), OSLO)
    read = read_document(document_json(MemoryDocument(facts=facts))).document.facts
    assert read == facts
    assert texts(rank(FactIndex(read), ["in March 2019"], MemoryOptions()))[0] == ROME.content


@pytest.mark.parametrize("odd", ['"soon"', '"2019-13"', "7", "null", '"2019-03-45"'])
def test_an_odd_date_is_left_out(odd):
    text = document_json(MemoryDocument(facts=(OSLO,)))
    assert read_document(text.replace('"source"', f'"until": {odd}, "source"')).document.facts == (OSLO,)


def test_older_contradictions_are_settled_by_time_and_each_once():
    facts = [
        fact(1, "User lives in Rome", day=1),
        fact(2, "User likes tea", day=2),
        fact(3, "User lives in Oslo", day=3),
        fact(4, "User has 2 cats", day=4),
        fact(5, "User lives in Ulm", day=5),
    ]
    settled = settle_older(facts, {})
    assert [(each.content, each.until) for each in settled] == [
        ("User lives in Rome", at(3)),
        ("User likes tea", ""),
        ("User lives in Oslo", at(5)),
        ("User has 2 cats", ""),
        ("User lives in Ulm", ""),
    ]
    assert settle_older(settled, {}) == settled


def test_of_two_that_were_said_at_once_the_later_one_in_the_memory_holds():
    settled = settle_older([fact(1, "User lives in Rome"), fact(2, "User lives in Oslo")], {})
    assert [bool(each.until) for each in settled] == [True, False]


def test_older_contradictions_of_other_people_and_of_what_they_wrote_stay():
    facts = [
        replace(fact(1, "User lives in Rome", day=1), source="manual"),
        fact(2, "User lives in Oslo", day=2),
        replace(fact(3, "User lives in Ulm", day=3), subject="Kim"),
    ]
    assert settle_older(facts, {}) == tuple(facts)
