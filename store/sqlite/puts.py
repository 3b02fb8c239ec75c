"""Accepting work: dedupe, delay, slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Self, TypeAlias

from bridge.ports import Put
from store.sqlite import sql
from store.sqlite.many import in_parts
from store.sqlite.transaction import Mergeable, Row, Transaction

Answer: TypeAlias = tuple[int | None, ...]
Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Puts(Mergeable):
    """An operation: see `put_all`."""

    puts: tuple[Put, ...]

    def __call__(self, tx: Transaction) -> Answer:
        """By itself."""
        return put_all(tx, self.puts)

    @classmethod
    def together(cls, tx: Transaction, operations: Sequence[Self]) -> Iterator[Answer]:
        """What each would answer if they were made in turn."""
        answers = iter(put_all(tx, [put for each in operations for put in each.puts]))
        for each in operations:
            yield tuple(next(answers) for _ in each.puts)


def put_all(tx: Transaction, puts: Sequence[Put]) -> Answer:
    """The ids of the items that now hold each put; None for a name already known.

    A slot's puts depend on each other, and one alone is quicker by itself.
    """
    answers: list[int | None] = []
    for slotted, run in groupby(puts, key=lambda put: put.slot != ""):
        some = list(run)
        answers += [_put(tx, put) for put in some] if slotted or len(some) == 1 else _put_many(tx, some)
    return tuple(answers)


def _put(tx: Transaction, put: Put) -> int | None:
    if put.dedupe and not tx.change(sql.REMEMBER_NAME, put.queue, put.dedupe, tx.now):
        return None
    tx.woken.add(put.queue)
    if put.slot and (replaced := _replace(tx, put)):
        return replaced
    run_at = _due(put, tx.now, tx.now)
    item = tx.insert(sql.INSERT_ITEM, put.queue, put.lane, put.slot, put.body, tx.now, tx.now, run_at)
    tx.change(sql.READY_IF_EMPTY, put.queue, put.lane, run_at)
    return item


def _put_many(tx: Transaction, puts: Sequence[Put]) -> list[int | None]:
    """Puts without a slot, in few statements."""
    fresh = _remember(tx, [(put.queue, put.dedupe, tx.now) for put in puts if put.dedupe])
    new = [not put.dedupe or _take(fresh, (put.queue, put.dedupe)) for put in puts]
    ids = iter(_insert(tx, [put for put, is_new in zip(puts, new, strict=True) if is_new]))
    return [next(ids) if is_new else None for is_new in new]


def _remember(tx: Transaction, names: Sequence[Row]) -> set[Name]:
    """Those of the names that were not known."""
    fresh: set[Name] = set()
    for statement, values, _ in in_parts(sql.REMEMBER_NAMES, names):
        fresh.update(tx.rows(statement, *values))
    return fresh


def _take(fresh: set[Name], name: Name) -> bool:
    """Whether the name is among the fresh ones; a second time it is not."""
    if name not in fresh:
        return False
    fresh.remove(name)
    return True


def _insert(tx: Transaction, puts: Sequence[Put]) -> list[int]:
    """The ids of new items. They count up within a statement, whose rows are inserted in their order."""
    now = tx.now
    due = [_due(put, now, now) for put in puts]
    tx.woken.update(put.queue for put in puts)
    ids: list[int] = []
    items = [
        (put.queue, put.lane, put.slot, put.body, now, now, at) for put, at in zip(puts, due, strict=True)
    ]
    for statement, values, count in in_parts(sql.INSERT_ITEMS, items):
        last = tx.insert(statement, *values)
        ids += range(last - count + 1, last + 1)
    lanes = [(put.queue, put.lane, at) for put, at in zip(puts, due, strict=True)]
    for statement, values, _ in in_parts(sql.ALL_READY_IF_EMPTY, lanes):
        tx.change(statement, *values)
    return ids


def _due(put: Put, now: float, first_at: float) -> float:
    """When a put may run: after its delay, but not past `max_wait` since the first (0: no such bound)."""
    due = now + max(put.delay, 0.0)
    return min(due, first_at + put.max_wait) if put.max_wait > 0 else due


def _replace(tx: Transaction, put: Put) -> int | None:
    for item, first_at, run_at, attempts, handed_out in tx.rows(sql.SLOT, put.queue, put.lane, put.slot):
        # What a holder has in hand is on its way: the new body begins a new wait.
        first = tx.now if handed_out else first_at
        due = _due(put, tx.now, first)
        if attempts:
            due = max(due, run_at)  # its back-off still holds
        tx.change(sql.REPLACE, put.body, first, due, item)
        tx.change(sql.REFRESH, put.queue, put.lane)
        return int(item)
    return None
