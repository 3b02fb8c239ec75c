"""The account of memories under chaos sees what must not be; plans are what they should be."""

from __future__ import annotations

import pytest

from tests.chaos.memory.ledger import Answer, Exercised, Ledger
from tests.chaos.memory.plan import GROUPS, make_plan
from tests.chaos.memory.words import PRIVATE, WORD, Word, read

MINE, ALOUD, THEIRS = Word(0, PRIVATE, 12).text, Word(0, "g", 13).text, Word(1, "g", 14).text


@pytest.mark.parametrize(
    ("place", "step", "text", "said"),
    [
        (PRIVATE, 20, f"Ask20 knows {MINE} {ALOUD}", ""),
        ("g", 20, f"Ask20 knows {ALOUD}", ""),
        ("h", 20, f"Ask20 knows {MINE}", "was said in private"),
        (PRIVATE, 20, f"Ask20 knows {THEIRS}", "which person 1 said"),
        (PRIVATE, 40, f"Ask40 knows {MINE}", "which was erased"),
        (PRIVATE, 40, f"Ask40 knows {Word(0, PRIVATE, 30).text}", "which was erased"),
        (PRIVATE, 40, f"Ask40 knows {Word(0, PRIVATE, 35).text}", ""),
    ],
)
def test_an_answer_may_know_what_its_person_said_there_or_aloud(
    place: str, step: int, text: str, said: str
) -> None:
    ledger = Ledger([Answer(0, place, step, text)])
    ledger.erased[0] = [30]
    problems = ledger.problems("nothing")
    assert [said in problem for problem in problems] == ([True] if said else [])


def test_what_is_left_after_an_erasure_is_seen() -> None:
    assert Ledger().problems(f"{{'said': 'I own the boat {MINE}'}}") == [f"{MINE} is still stored"]


def test_what_an_answer_should_know_and_does_not_is_seen() -> None:
    ledger = Ledger()
    ledger.erased[0] = [12]
    answer = Answer(0, PRIVATE, 40, f"knows {ALOUD} |  | {Word(0, 'g', 20).text} | end")
    assert ledger.missing(answer, [11, 13, 20, 50]) == [20], "not as a fact"


def test_what_was_there_to_be_given_away_or_kept_is_counted() -> None:
    ledger, nobody = Ledger(), set[str]()
    ledger.add(Answer(0, "g", 15, f"Ask15 knows {ALOUD} |  |  | end"), nobody)
    assert ledger.exercised == Exercised()
    ledger.add(Answer(0, PRIVATE, 16, f"Ask16 knows {MINE} {ALOUD} |  | {MINE} {THEIRS} | end"), nobody)
    assert ledger.known_of_others(1) == {MINE, ALOUD}
    assert ledger.known_of_others(0) == nobody
    ledger.add(Answer(1, PRIVATE, 17, "Ask17 knows  |  |  | end"), {MINE})
    ledger.add(Answer(0, "h", 18, "Ask18 knows  |  |  | end"), nobody)
    assert ledger.exercised == Exercised(1, 1, 0, 0)
    ledger.erase(0, 19, under_way=True)
    assert ledger.exercised == Exercised(1, 1, 1, 1)
    ledger.add(Answer(1, PRIVATE, 20, "Ask20 knows  |  |  | end"), {MINE})
    ledger.add(Answer(0, "h", 21, "Ask21 knows  |  |  | end"), nobody)
    ledger.erase(0, 22, under_way=False)
    assert ledger.exercised == Exercised(1, 1, 1, 1)


def test_a_situation_that_came_about_too_seldom_is_told() -> None:
    (few,) = Exercised(2, 5, 1, 1).too_few(
        {"private_facts_offered_in_groups": 3, "questions_beside_known_words_of_others": 5}
    )
    assert few == "private_facts_offered_in_groups: 2, not 3"


def test_a_word_is_read_as_it_was_made() -> None:
    for word in (Word(0, PRIVATE, 7), Word(3, "h", 120)):
        assert WORD.fullmatch(word.text)
        assert read(word.text) == word


def test_a_plan_is_the_same_each_time_and_brings_everybody_into_each_situation() -> None:
    plan = make_plan(3, 4, 5, 6, 2)
    assert plan == make_plan(3, 4, 5, 6, 2) != make_plan(4, 4, 5, 6, 2)
    numbers = [step.number for script in plan.people for step in script]
    assert len(set(numbers)) == len(numbers)
    for script in plan.people:
        kinds = [step.kind for step in script]
        assert (kinds.count("meet"), kinds.count("erase"), kinds[-1]) == (2, 2, "erase")
        first, last = (at for at, kind in enumerate(kinds) if kind == "meet")
        before, between = script[:first], script[first + 1 : last]
        assert [step.kind for step in before] == ["tell", "tell", "know"]
        assert {step.place for step in between} == {PRIVATE, *GROUPS}
        for at in (at for at, kind in enumerate(kinds) if kind == "erase"):
            assert kinds[at - 1] == "know"
            assert script[at].place == PRIVATE
        assert kinds[kinds.index("erase") + 1] == "tell"
    assert [kill.victim for kill in plan.kills if kill.victim not in (0, 1)] == []
