"""The account itself: it must see what it is there to see."""

from collections.abc import Iterable

import pytest

from tests.chaos.accounting.ledger import Account, Shown, Told, settle
from tests.chaos.planning.plan import Line, make_plan
from tests.chaos.planning.scale import Scale

_PLAN = make_plan(Scale(turns=500, kills=2, seed=3), "inside")
_LINE = next(
    line for line in _PLAN.lines if not line.kind.aims and not any(said.makes_file for said in line.said[:3])
)
_FIRST, _SECOND, _THIRD = (said.id for said in _LINE.said[:3])


def account(
    *shown: Shown,
    missed: Iterable[str] = (),
    keyless: bool = False,
    overtaken: Iterable[str] = (),
) -> Account:
    line = Line(_LINE.kind, _LINE.said[:3])
    return settle([Told(line, shown, frozenset(missed), frozenset(overtaken), keyless)])


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


def test_what_the_platform_handed_over_later_is_its_doing():
    order = (_SECOND, _FIRST, _THIRD)
    found = account(*map(whole, order), overtaken=(_FIRST,))
    assert (found.swapped, found.reordered) == ([_FIRST], [])
    assert found.is_clean
    found = account(*map(whole, order), overtaken=(_THIRD,))
    assert (found.swapped, found.reordered) == ([], [_FIRST])
