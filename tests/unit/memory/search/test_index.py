"""Facts found by what a conversation is about."""

from dataclasses import replace
from typing import Any

import pytest

from parley.memory.model.document import Fact
from parley.memory.search.index import FactIndex

HOME = (
    "User has a daughter named Mira",
    "User is allergic to peanuts",
    "User works as a nurse in Lyon",
    "User repairs old bicycles at weekends",
    "User prefers tea to coffee",
    "User wants to run a marathon",
    "用户在学弹钢琴",
    "用户对花生过敏",
    "用户家的猫叫小黑",
)


def facts(*contents, **fields):
    return [Fact(id=f"f{place}", content=content, **fields) for place, content in enumerate(contents)]


def best(index, *messages):
    return [fact.content for fact, _ in index.search(messages)][:1]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("Can you suggest a snack without peanuts?", "User is allergic to peanuts"),
        ("my bicycle is broken", "User repairs old bicycles at weekends"),
        ("What is Mira doing?", "User has a daughter named Mira"),
        ("钢琴课几点？", "用户在学弹钢琴"),
        ("我的猫怎么了", "用户家的猫叫小黑"),
        ("我过敏吗", "用户对花生过敏"),
    ],
)
def test_the_fact_that_is_asked_for_comes_first(asked, expected):
    assert best(FactIndex(facts(*HOME)), asked) == [expected]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("How are my kids?", "User has a daughter named Mira"),
        ("Where is my job?", "User works as a nurse in Lyon"),
        ("我的宠物", "用户家的小猫叫小黑"),
    ],
)
def test_a_word_for_the_kind_finds_the_thing(asked, expected):
    assert best(FactIndex(facts(*HOME, "用户家的小猫叫小黑")), asked) == [expected]


def test_words_of_one_family_find_each_other():
    index = FactIndex(facts("User loves photography", "User loves sailing"))
    assert best(index, "any photos?") == ["User loves photography"]


def test_a_day_finds_what_was_learned_on_it_in_either_language():
    first, second = facts("User visited a museum", "User visited a castle")
    index = FactIndex(
        [
            replace(first, created_at="2024-05-04T10:00:00Z"),
            replace(second, created_at="2024-05-09T10:00:00Z"),
        ]
    )
    assert best(index, "what did I visit on 4 May?") == ["User visited a museum"]
    assert best(index, "what did I visit on 9 May?") == ["User visited a castle"]
    assert best(index, "我5月4日去了哪里") == ["User visited a museum"]


def test_who_asks_when_gets_the_fact_that_tells_a_time():
    index = FactIndex(facts("User joined the choir in 2019", "User joined the choir gladly"))
    assert best(index, "When did I join the choir?") == ["User joined the choir in 2019"]


def test_a_fact_about_the_one_who_is_named_comes_before_one_that_mentions_them():
    mentions = Fact("f1", "Paul told Greta about his garden", subject="Paul")
    about = Fact("f2", "Greta told Paul about her garden", subject="Greta")
    assert best(FactIndex([about, mentions]), "What about Paul and a garden?")[0] in {
        mentions.content,
        about.content,
    }
    assert best(FactIndex([about, mentions]), "Which garden has Greta?") == [about.content]
    assert best(FactIndex([mentions, about]), "Which garden has Greta?") == [about.content]


def test_keywords_are_searched_though_nobody_sees_them():
    index = FactIndex([*facts("用户对花生过敏"), Fact("k", "用户住在里昂", keywords=("Lyon", "France"))])
    assert best(index, "hotels in France") == ["用户住在里昂"]


def test_what_was_learned_beside_a_hit_comes_before_the_rest():
    learned: dict[str, Any] = {"source": "thread-1", "created_at": "2024-05-04T10:00:00Z"}
    index = FactIndex(
        [
            Fact("a", "User sings", source="thread-2", created_at="2024-05-03T10:00:00Z"),
            Fact("b", "User has a new oven", **learned),
            Fact("c", "The dough has to rest overnight", **learned),
            Fact("d", "User swims", source="thread-2", created_at="2024-05-05T10:00:00Z"),
        ]
    )
    assert [fact.id for fact, _ in index.search(["the oven"])] == ["b", "c"]


def test_what_a_person_wrote_themselves_has_no_neighbours():
    index = FactIndex(facts("User has a new oven", "User sings", source="manual", created_at="2024-05-04"))
    assert [fact.id for fact, _ in index.search(["the oven"])] == ["f0"]


def test_the_newest_message_weighs_most():
    index = FactIndex(facts(*HOME))
    assert best(index, "I want to run", "peanuts!", "tell me about my bicycle") == [
        "User repairs old bicycles at weekends"
    ]


def test_a_short_reply_does_not_push_the_question_out():
    index = FactIndex(facts(*HOME))
    for reply in ("ok thanks!", "sounds good", "let me think about it", "好的，谢谢", "hm", "…"):
        assert best(index, "is there anything with peanuts?", reply) == ["User is allergic to peanuts"], reply


def test_earlier_messages_still_count():
    index = FactIndex(facts(*HOME))
    found = [fact.content for fact, _ in index.search(["I love tea", "my bicycle is broken"])]
    assert found[0] == "User repairs old bicycles at weekends"
    assert "User prefers tea to coffee" in found


def test_scores_are_shares_of_the_best_and_fall():
    scores = [score for _, score in FactIndex(facts(*HOME)).search(["tea and a bicycle for Mira"])]
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_no_more_than_the_limit_comes_back():
    index = FactIndex(facts(*(f"User owns bicycle number {n}" for n in range(50))))
    assert len(index.search(["bicycle"], limit=7)) == 7
    assert index.search(["bicycle"], limit=0) == []


def test_of_equal_facts_the_newest_comes_first():
    index = FactIndex(facts("User likes tea", "User likes tea", "User likes tea"))
    assert [fact.id for fact, _ in index.search(["tea"])] == ["f2", "f1", "f0"]


@pytest.mark.parametrize("messages", [[], [""], ["???"], ["the of and"], ["zzz qqq"], ["ok", "thanks"]])
def test_where_nothing_is_asked_nothing_is_found(messages):
    assert FactIndex(facts(*HOME)).search(messages) == []


def test_an_empty_index_finds_nothing():
    assert FactIndex(()).search(["tea"]) == []


def test_every_one_of_many_facts_can_be_found():
    index = FactIndex(facts(*(f"User keeps item {n} in the attic" for n in range(2500))))
    for n in (0, 99, 100, 250, 1999, 2499):
        assert best(index, f"where is item {n}?") == [f"User keeps item {n} in the attic"]


def test_one_persons_facts_do_not_change_how_anothers_are_found():
    mine = FactIndex(facts(*HOME))
    before = mine.search(["peanuts and tea"])
    FactIndex(facts(*(f"peanuts and tea {n}" for n in range(100))))
    assert mine.search(["peanuts and tea"]) == before


def test_a_pasted_book_is_read_at_its_ends():
    index = FactIndex(facts(*HOME))
    assert best(index, "peanuts " + "blah " * 200_000) == ["User is allergic to peanuts"]
    assert best(index, "blah " * 200_000 + " peanuts") == ["User is allergic to peanuts"]
