"""Calls of one kind in a batch go as one call, and its answer is dealt out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from parley.store.rows import Row

Value: TypeAlias = str | int | float | bool | Sequence[str] | Sequence[int] | Sequence[float] | None


@dataclass(frozen=True, slots=True)
class SqlCall:
    """One statement; `locks` are the lanes (queue, lane) that it changes, `makes` whether they may be new.

    Where `columns` is not 0, so many of the first values are lists of one length, and the answer is one row
    of lists as long: such calls of one statement may go together.
    """

    statement: str
    values: tuple[Value, ...]
    locks: tuple[tuple[str, str], ...] = ()
    makes: bool = False
    columns: int = 0


@dataclass(frozen=True, slots=True)
class MergedCall:
    """What is sent for the calls at `places` of a batch; `sizes` are the lengths of their lists."""

    statement: str
    values: tuple[Value, ...]
    places: tuple[int, ...]
    sizes: tuple[int, ...] = ()


def merge_calls(calls: Sequence[SqlCall]) -> list[MergedCall]:
    """Return the calls in their order, but those that go together at the place of the first."""
    together: dict[object, list[int]] = {}
    for place, call in enumerate(calls):
        key = (call.statement, call.values[call.columns :]) if call.columns else place
        together.setdefault(key, []).append(place)
    return [_parcel(calls, places) for places in together.values()]


def split_answers(parcels: Sequence[MergedCall], answers: Sequence[list[Row]]) -> list[list[Row]]:
    """Return the answer to each call, in the order of the calls."""
    dealt: dict[int, list[Row]] = {}
    for parcel, rows in zip(parcels, answers, strict=True):
        if not parcel.sizes:
            dealt[parcel.places[0]] = rows
            continue
        begin = 0
        for place, size in zip(parcel.places, parcel.sizes, strict=True):
            dealt[place] = [tuple(column[begin : begin + size] for column in rows[0])]
            begin += size
    return [dealt[place] for place in sorted(dealt)]


def _parcel(calls: Sequence[SqlCall], places: Sequence[int]) -> MergedCall:
    first = calls[places[0]]
    if len(places) == 1:
        return MergedCall(first.statement, first.values, tuple(places))
    lists = [
        [entry for place in places for entry in _listed(calls[place].values[column])]
        for column in range(first.columns)
    ]
    sizes = tuple(len(_listed(calls[place].values[0])) for place in places)
    return MergedCall(first.statement, (*lists, *first.values[first.columns :]), tuple(places), sizes)


def _listed(value: Value) -> list[Any]:
    return value if isinstance(value, list) else []
