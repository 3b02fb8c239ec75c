"""The account itself: it must see what it is there to see."""

import pytest

from tests.chaos.ledger import Shown, settle
from tests.chaos.plan import Line, Scale, make_plan

_LINE = make_plan(Scale(turns=20, kills=2, seed=3)).lines[1]
_FIRST, _SECOND, _THIRD = (said.id for said in _LINE.said[:3])


def account(*shown: Shown):
    return settle([(Line("private", _LINE.said[:3]), shown)])


def whole(name: str) -> Shown:
    return Shown(name, f"You said: {name}", whole=True)


def test_one_answer_each_in_order_is_clean():
    found = account(whole(_FIRST), whole(_SECOND), whole(_THIRD))
    assert found.is_clean
    assert (found.turns, found.answered) == (3, 3)


def test_a_missing_answer_is_lost():
    assert account(whole(_FIRST), whole(_THIRD)).lost == [_SECOND]


def test_a_half_answer_is_lost_and_a_stub():
    found = account(whole(_FIRST), whole(_SECOND), Shown(_THIRD, "You said …", whole=False))
    assert (found.lost, found.stubs) == ([_THIRD], ["You said …"])


def test_a_second_whole_answer_is_doubled():
    assert account(whole(_FIRST), whole(_SECOND), whole(_SECOND), whole(_THIRD)).doubled == [_SECOND]


@pytest.mark.parametrize("order", [(_SECOND, _FIRST, _THIRD), (_FIRST, _THIRD, _SECOND)])
def test_an_answer_behind_a_later_one_is_out_of_order(order: tuple[str, ...]):
    found = account(*map(whole, order))
    assert len(found.reordered) == 1
    assert not found.is_clean


def test_a_plan_is_its_seeds():
    scale = Scale(turns=50, kills=5, seed=9)
    plan = make_plan(scale)
    assert plan == make_plan(scale)
    assert plan != make_plan(Scale(turns=50, kills=5, seed=10))
    assert sum(len(line.said) for line in plan.lines) == 50
    assert len(plan.kills) == 5
