"""The account itself: it must see what it is there to see."""

from collections.abc import Iterable

import pytest

from tests.chaos.ledger import Account, Shown, Told, settle
from tests.chaos.plan import KINDS, TROUBLES, Line, Scale, make_plan

_LINE = next(line for line in make_plan(Scale(turns=100, kills=2, seed=3)).lines if not line.kind.aims)
_FIRST, _SECOND, _THIRD = (said.id for said in _LINE.said[:3])


def account(
    *shown: Shown, swapped: Iterable[str] = (), missed: Iterable[str] = (), keyless: bool = False
) -> Account:
    line = Line(_LINE.kind, _LINE.said[:3])
    return settle([Told(line, shown, frozenset(swapped), frozenset(missed), keyless)])


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
    assert (found.lost, found.stubs) == ([_THIRD], [f"{_LINE.kind.platform}: You said …"])


def test_a_second_whole_answer_is_doubled():
    shown = (whole(_FIRST), whole(_SECOND), whole(_SECOND), whole(_THIRD))
    assert account(*shown).doubled == [_SECOND]
    assert account(*shown, keyless=True).repeated == [_SECOND]


@pytest.mark.parametrize("order", [(_SECOND, _FIRST, _THIRD), (_FIRST, _THIRD, _SECOND)])
def test_an_answer_behind_a_later_one_is_out_of_order(order: tuple[str, ...]):
    found = account(*map(whole, order))
    assert len(found.reordered) == 1
    assert not found.is_clean


def test_what_the_platform_never_handed_over_is_not_lost_by_us():
    found = account(whole(_FIRST), whole(_THIRD), missed=[_SECOND, _THIRD])
    assert (found.missed, found.lost, found.answered) == ([_SECOND], [], 2)
    assert found.is_clean


def test_the_order_in_which_the_platform_handed_over_is_none_of_ours():
    found = account(whole(_SECOND), whole(_FIRST), whole(_THIRD), swapped=[_FIRST, _SECOND])
    assert (found.swapped, found.reordered) == ([_FIRST], [])


def test_a_plan_has_every_platform_and_every_trouble_in_it():
    plan = make_plan(Scale(turns=1000, kills=5, seed=4))
    assert {line.kind for line in plan.lines} == set(KINDS)
    assert {(fault.platform, fault.trouble) for fault in plan.faults} == {
        (platform, trouble) for platform, troubles in TROUBLES for trouble in troubles
    }


def test_a_short_plan_has_every_kind_of_place_in_it():
    assert {line.kind for line in make_plan(Scale(turns=30, kills=3, seed=1)).lines} == set(KINDS)


def test_a_plan_is_its_seeds():
    scale = Scale(turns=50, kills=5, seed=9)
    plan = make_plan(scale)
    assert plan == make_plan(scale)
    assert plan != make_plan(Scale(turns=50, kills=5, seed=10))
    assert sum(len(line.said) for line in plan.lines) == 50
    assert len(plan.kills) == 5
