"""Accepting work: dedupe, delay, slots."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.ports import Put
from store.sqlite import sql
from store.sqlite.transaction import Transaction


def put_all(tx: Transaction, puts: Sequence[Put]) -> tuple[int | None, ...]:
    """The ids of the items that now hold each put; None for a name already known."""
    return tuple(_put(tx, put) for put in puts)


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
