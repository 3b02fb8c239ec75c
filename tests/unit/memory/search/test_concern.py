"""Which messages concern what is remembered, and which facts are about some words."""

from __future__ import annotations

import pytest

from parley.memory.inject.block import build_block
from parley.memory.inject.essentials import ESSENTIAL_TOKENS, is_essential
from parley.memory.model.document import Category, Fact, MemoryDocument, Summaries, Summary
from parley.memory.options import MemoryOptions
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank
from parley.memory.text.token_counting import CharacterCounter
from tests.kit.samples.memories import fact, texts

NAME = fact(1, "User's name is Ann", 0.8)
LANGUAGE = fact(2, "User prefers answers in French", 0.75)
CORRECTION = fact(3, "Write dates as 2026-11-25", 0.95, category=Category.CORRECTION)
ALLERGY = fact(4, "User is allergic to peanuts", 0.7)
TEA, COFFEE, JUICE = (
    fact(5, "User likes green tea"),
    fact(6, "User hates coffee"),
    fact(7, "User squeezes juice"),
)
CAR, CATS = fact(8, "User owns a green car"), fact(9, "User has 2 cats")
ESSENTIALS = (NAME, LANGUAGE, CORRECTION, ALLERGY)
REST = tuple(
    fact(100 + n, f"User read book number{n} about topic{n} in the library", 0.9) for n in range(270)
)
FACTS = (*REST, *ESSENTIALS, TEA, COFFEE, JUICE, CAR, CATS)
INDEX = FactIndex(FACTS)


def block(message: str) -> str:
    options = MemoryOptions()
    document = MemoryDocument(Summaries(work=Summary("Teaches chemistry. " * 20)), FACTS)
    return build_block(
        document, rank(INDEX, [message], options), options, CharacterCounter(), private=True,
        concerned=INDEX.concerns([message]),
    )  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        "What is 2+2?", "hello", "Thanks!", "How are you today?", "Explain quantum entanglement to me",
        "What is the capital of Mongolia?", "你好", "1+1等于几？", "Wie geht es dir?", "merci beaucoup",
    ],
)  # fmt: skip
def test_what_concerns_nothing_known_gets_the_few_facts_that_always_matter(message):
    given = block(message)
    assert CharacterCounter().count(given) <= ESSENTIAL_TOKENS
    assert all(each.content in given for each in ESSENTIALS)


@pytest.mark.parametrize(
    "message",
    [
        "Which tea do I like?",
        "book number7",
        "Can I eat peanuts?",
        "What happened on 28 May 2026?",
        "my cats",
    ],
)
def test_what_concerns_a_fact_gets_the_whole_budget(message):
    assert CharacterCounter().count(block(message)) > 1_500


def test_an_older_message_counts_too():
    assert INDEX.concerns(["Which tea do I like?", "ok thanks!"])


def test_a_few_facts_are_given_as_they_are():
    assert FactIndex(FACTS[-30:]).concerns(["What is 2+2?"])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("drinks", {TEA, COFFEE, JUICE}),
        ("green tea", {TEA}),
        ("cats", {CATS}),
        ("unicorns", set()),
        ("hello", set()),
    ],
)
def test_a_search_lists_only_what_is_about_the_words(words, found):
    # All were learned in one conversation: neighbours must not come along.
    assert {each for each, _ in INDEX.find_about(words, 20)} == found


def test_a_search_puts_the_best_first_and_stops_at_its_limit():
    best = [each for each, _ in INDEX.find_about("library book number7", 5)]
    assert texts(best)[0] == REST[7].content
    assert len(best) <= 5


def test_what_is_past_or_about_others_does_not_always_matter():
    assert not is_essential(fact(1, "User's name is Ann", until="2026"))
    assert not is_essential(fact(1, "Kim is allergic to nuts", subject="Kim"))
    assert is_essential(Fact("x", "用户对花生过敏"))


def test_a_search_for_a_kind_lists_the_thing_and_not_the_other_way_round():
    dog, pets = fact(1, "User walks a dog"), fact(2, "User wants no pets")
    index = FactIndex([dog, pets])
    assert [each for each, _ in index.find_about("pet", 9)] == [pets, dog]
    assert [each for each, _ in index.find_about("dog", 9)] == [dog]
