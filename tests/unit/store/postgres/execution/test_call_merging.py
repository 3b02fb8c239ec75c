"""Calls that go together get the answers that they would have got apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parley.store.postgres.execution.call_merging import MergedCall, SqlCall, merge_calls, split_answers
from parley.store.rows import Row

kinds = st.sampled_from(["put", "put elsewhere", "get"])
lists = st.lists(st.integers(0, 99), max_size=3)


def call(kind: str, numbers: list[int], clock: int) -> SqlCall:
    if kind == "get":
        return SqlCall("get", (numbers,))
    return SqlCall(kind, (numbers, [-number for number in numbers], clock), columns=2)


def answer(statement: str, values: tuple[object, ...]) -> list[Row]:
    """What a server would say: a list with an entry for each, or rows."""
    first = values[0]
    assert isinstance(first, list)
    if statement == "get":
        return [(number,) for number in first]
    assert values[1] == [-number for number in first]
    return [([f"{statement} {number} at {values[2]}" for number in first],)]


@given(st.lists(st.tuples(kinds, lists, st.integers(0, 1)), max_size=12))
def test_each_call_gets_its_own_answer(asked: list[tuple[str, list[int], int]]) -> None:
    calls = [call(*each) for each in asked]
    parcels = merge_calls(calls)
    answers = [answer(parcel.statement, parcel.values) for parcel in parcels]
    assert split_answers(parcels, answers) == [answer(each.statement, each.values) for each in calls]


def test_puts_go_as_one_in_their_order_and_others_by_themselves() -> None:
    calls = [call("put", [1, 2], 0), call("get", [3], 0), call("put", [4], 0), call("get", [5], 0)]
    assert merge_calls(calls) == [
        MergedCall("put", ([1, 2, 4], [-1, -2, -4], 0), (0, 2), (2, 1)),
        MergedCall("get", ([3],), (1,)),
        MergedCall("get", ([5],), (3,)),
    ]


def test_of_two_moments_there_are_two_calls() -> None:
    assert len(merge_calls([call("put", [1], 0), call("put", [2], 1)])) == 2
