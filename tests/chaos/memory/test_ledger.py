"""The account of memories under chaos sees what must not be; plans are what they should be."""

from __future__ import annotations

import pytest

from tests.chaos.memory.ledger import Answer, Ledger
from tests.chaos.memory.plan import make_plan
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
    assert ledger.missing(Answer(0, PRIVATE, 40, f"knows {ALOUD}"), [11, 13, 20, 50]) == [20]


def test_a_word_is_read_as_it_was_made() -> None:
    for word in (Word(0, PRIVATE, 7), Word(3, "h", 120)):
        assert WORD.fullmatch(word.text)
        assert read(word.text) == word


def test_a_plan_is_the_same_each_time_and_everybody_erases_what_they_have_just_told() -> None:
    plan = make_plan(3, 4, 12, 6, 2)
    assert plan == make_plan(3, 4, 12, 6, 2) != make_plan(4, 4, 12, 6, 2)
    numbers = [step.number for script in plan.people for step in script]
    assert len(set(numbers)) == 4 * 12
    for script in plan.people:
        kinds = [step.kind for step in script]
        assert kinds.count("erase") == 2
        assert kinds[-1] == "erase"
        for at in (at for at, kind in enumerate(kinds) if kind == "erase"):
            assert kinds[at - 1] == "tell"
            assert script[at].place == PRIVATE
        assert {step.place for step in script if step.kind == "ask"} > {PRIVATE}
    assert [kill.victim for kill in plan.kills if kill.victim not in (0, 1)] == []
