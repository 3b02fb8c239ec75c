"""Whether two statements say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.edits.similarity import Similarity, compare, comparison_key, nearest_facts
from parley.memory.model.document import Fact
from parley.memory.search.index import FactIndex


@pytest.mark.parametrize(
    "text",
    [
        "likes tea",
        "likes  tea",
        " Likes tea. ",
        "LIKES TEA!",
        "“likes tea”",
        "likes\ttea",
        "ｌｉｋｅｓ　ｔｅａ",
        "likes tea。",
    ],
)
def test_spelling_that_does_not_matter_is_gone(text):
    assert comparison_key(text) == "likes tea"


def test_chinese_punctuation_at_the_edge_is_gone():
    assert comparison_key("茶。") == comparison_key("茶") == "茶"


def test_what_is_only_punctuation_stays_itself():
    assert comparison_key("!!!") != comparison_key("???")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("User likes tea", "user  likes TEA."),
        ("The User is a nurse", "User is nurse"),
        ("Anna is keen on jazz", "Anna's keen on jazz"),
        ("User said that Anna has moved", "Anna has moved."),
        ("User volunteers at a shelter", "User volunteers at a shelter and enjoys it"),
        ("用户喜欢喝茶", "用户 喜欢喝茶。"),
    ],
)
def test_what_certainly_says_the_same_is_a_duplicate(one, two):
    assert compare(one, two) is compare(two, one) is Similarity.DUP


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("User has 2 cats at home", "User has 3 cats at home"),
        ("User has two cats at home", "User has three cats at home"),
        ("User meets Anna on Monday", "User meets Anna on Tuesday"),
        ("User's visa ends in May", "User's visa ends in June"),
        ("User drinks coffee at work", "User does not drink coffee at work"),
        ("User drinks coffee at work", "User never drinks coffee at work"),
        ("User moved to Rome for work", "User moved to Oslo for work"),
        ("Anna lent Greta her red car", "Greta lent Anna her red car"),
        ("User introduced Anna to Greta", "User introduced Greta to Anna"),
        ("Anna likes hiking in the hills", "Greta likes hiking in the hills"),
        ("User was a vegetarian", "User is a vegetarian"),
        ("User started the course last week", "User started the course next week"),
        ("用户养了两只猫", "用户养了三只猫"),
        ("用户喜欢喝咖啡", "用户不喜欢喝咖啡"),
        ("用户每天早上喝茶", "用户每天晚上喝茶"),
    ],
)
def test_another_value_is_a_conflict_and_never_merged(one, two):
    assert compare(one, two) is compare(two, one) is Similarity.CONFLICT


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("User likes hiking in the hills", "User loves hiking in the hills"),
        ("User prefers tea to coffee", "User prefers coffee to tea"),
        ("User works at the harbour", "User worked at the harbour"),
        ("User moved to the coast", "User moved from the coast"),
        ("User has a dog at home", "User has dogs at home"),
        ("User lives in town", "User lives in town but is about to move"),
        ("User can swim well", "User can swim well and used to compete"),
        ("用户喜欢喝茶", "用户喜欢喝红茶"),
    ],
)
def test_what_may_or_may_not_say_the_same_is_left_to_who_understands_it(one, two):
    assert compare(one, two) is compare(two, one)
    assert compare(one, two) in {Similarity.CANDIDATE, Similarity.CONFLICT}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("User likes tea", "User repairs bicycles"),
        ("用户喜欢喝茶", "用户在北京上班"),
        ("User likes tea", ""),
        ("?", "!"),
    ],
)
def test_what_is_about_something_else_is_new(one, two):
    assert compare(one, two) is compare(two, one) is Similarity.NEW


def test_the_nearest_facts_come_with_their_verdicts():
    index = FactIndex(
        [
            Fact("a", "User has two cats at home"),
            Fact("b", "User repairs bicycles"),
            Fact("c", "User has three cats at home"),
        ]
    )
    verdicts = {fact.id: verdict for fact, verdict in nearest_facts(index, "user has three cats at home.")}
    assert verdicts["c"] is Similarity.DUP
    assert verdicts["a"] is Similarity.CONFLICT
    assert len(nearest_facts(index, "User has cats", limit=1)) == 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared_either_way(one, two):
    assert compare(one, two) is compare(two, one)
    assert compare(one, one) is Similarity.DUP


@given(st.text(max_size=80))
def test_normalising_again_changes_nothing(text):
    assert comparison_key(comparison_key(text)) == comparison_key(text)
