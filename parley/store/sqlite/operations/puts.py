"""Accepting work: dedupe, delay, slots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Self, TypeAlias

import orjson

from parley.core.ports.journal import NewQueueItem
from parley.core.ports.subjects import item_subjects
from parley.store.buckets import bucket_of
from parley.store.sqlite.execution.transaction import Mergeable, Transaction, as_json, as_list
from parley.store.sqlite.operations import sql

Answer: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Puts(Mergeable):
    """An operation: see `put_all`."""

    puts: tuple[NewQueueItem, ...]

    def __call__(self, tx: Transaction) -> Answer:
        """Make it by itself."""
        return put_all(tx, self.puts)

    @classmethod
    def together(cls, tx: Transaction, operations: Sequence[Self]) -> Iterator[Answer]:
        """Return what each would answer if they were made in turn."""
        answers = iter(put_all(tx, [put for each in operations for put in each.puts]))
        return (tuple(islice(answers, len(each.puts))) for each in operations)


def put_all(tx: Transaction, puts: Sequence[NewQueueItem]) -> Answer:
    """Return the ids of the items that now hold each put; None for a name already known.

    A slot's puts depend on each other, and one alone is quicker by itself.
    """
    answers: list[int | None] = []
    for slotted, run in groupby(puts, key=lambda put: put.slot != ""):
        some = list(run)
        answers += [_put(tx, put) for put in some] if slotted or len(some) == 1 else _put_many(tx, some)
    return tuple(answers)


def _put(tx: Transaction, put: NewQueueItem) -> int | None:
    if put.dedupe and not tx.change(sql.REMEMBER_NAME, put.queue, put.dedupe, tx.now, bucket_of(put.lane)):
        return None
    if put.slot and (replaced := _replace(tx, put)):
        return replaced
    run_at = tx.now + _wait(put)
    tx.wake(put.queue, run_at)
    item = tx.insert(
        sql.INSERT_ITEM, put.queue, put.lane, put.slot, put.body, tx.now, tx.now, run_at, _about(put)
    )
    tx.change(sql.READY_IF_EMPTY, put.queue, put.lane, run_at)
    return item


def _put_many(tx: Transaction, puts: Sequence[NewQueueItem]) -> Sequence[int | None]:
    """Put those without a slot, in one statement for each table."""
    rows = _rows(puts)
    if rows is None:
        return [_put(tx, put) for put in puts]
    known = _known(tx, puts)
    if not known:
        return _insert(tx, puts, rows)
    new = [put for place, put in enumerate(puts) if place not in known]
    ids = iter(_insert(tx, new, _rows(new)) if new else ())
    return [None if place in known else next(ids) for place in range(len(puts))]


def _rows(puts: Sequence[NewQueueItem]) -> str | None:
    return as_json([(put.queue, put.lane, put.body, _wait(put), _about(put)) for put in puts])


def _known(tx: Transaction, puts: Sequence[NewQueueItem]) -> set[int]:
    """Remember the puts' names; the places of those that were known, or stand earlier among them."""
    known: set[int] = set()
    fresh: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for place, put in enumerate(puts):
        if put.dedupe and fresh[put.queue].setdefault(put.dedupe, place) != place:
            known.add(place)
    for queue, places in fresh.items():
        names = as_json(list(places))
        [(found,)] = tx.rows(sql.KNOWN_NAMES, names, queue)
        known.update(places[name] for name in orjson.loads(found))
        told = as_json([(name, bucket_of(puts[place].lane)) for name, place in places.items()])
        tx.change(sql.REMEMBER_NAMES, queue, tx.now, told)
    return known


def _insert(tx: Transaction, puts: Sequence[NewQueueItem], rows: str | None) -> Sequence[int]:
    """Return the ids of new items.

    They count up within a statement, which goes through its list in order.
    """
    for queue, wait in {(put.queue, _wait(put)) for put in puts}:
        tx.wake(queue, tx.now + wait)
    last = tx.insert(sql.INSERT_ITEMS, tx.now, rows)
    tx.change(sql.ALL_READY_IF_EMPTY, tx.now, rows)
    return range(last - len(puts) + 1, last + 1)


def _about(put: NewQueueItem) -> str:
    return as_list(item_subjects(put.lane, put.body))


def _wait(put: NewQueueItem) -> float:
    """Return seconds until a put may run that replaces nothing."""
    return _due(put, 0.0, 0.0)


def _due(put: NewQueueItem, now: float, first_at: float) -> float:
    """Return when a put may run: after its delay, but not past `max_wait` since the first (0: no bound)."""
    due = now + max(put.delay, 0.0)
    return min(due, first_at + put.max_wait) if put.max_wait > 0 else due


def _replace(tx: Transaction, put: NewQueueItem) -> int | None:
    for item, first_at, run_at, attempts, handed_out in tx.rows(sql.SLOT, put.queue, put.lane, put.slot):
        # What a holder has in hand is on its way: the new body begins a new wait.
        first = tx.now if handed_out else first_at
        due = _due(put, tx.now, first)
        if attempts:
            due = max(due, run_at)  # its back-off still holds
        tx.change(sql.REPLACE, put.body, first, due, _about(put), item)
        tx.change(sql.REFRESH, put.queue, put.lane)
        tx.wake(put.queue, due)
        return int(item)
    return None
