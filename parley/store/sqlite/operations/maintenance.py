"""What the operator and the clock do: dead letters and retention."""

from __future__ import annotations

from parley.store.retention import Retention
from parley.store.sqlite.execution.transaction import Transaction
from parley.store.sqlite.operations import sql

SLICE = 500
"""Rows removed in one operation, so that nobody waits long behind it."""

_DONE, _DEAD, _CANCELLED = 1, 2, 3


def revive(tx: Transaction, item: int) -> bool:
    """Let a dead letter wait again, at its old place in its lane."""
    for queue, lane in tx.rows(sql.REVIVE, tx.now, item):
        tx.change(sql.READY_IF_EMPTY, queue, lane, tx.now)
        tx.change(sql.REFRESH, queue, lane)
        tx.wake(queue)
        return True
    return False


def discard(tx: Transaction, item: int) -> bool:
    """Remove a dead letter for good."""
    return bool(tx.change(sql.DISCARD, item))


def prune(tx: Transaction, retention: Retention, now: float) -> tuple[int, bool]:
    """Remove a slice of what is past its time: how many rows, and whether there may be more."""
    finished, names = now - retention.finished, now - retention.names
    slices = (
        tx.change(sql.PRUNE_ITEMS, _DONE, finished, SLICE),
        tx.change(sql.PRUNE_ITEMS, _CANCELLED, finished, SLICE),
        tx.change(sql.PRUNE_ITEMS, _DEAD, now - retention.dead, SLICE),
        tx.change(sql.PRUNE_NAMES, names, SLICE),
        tx.change(sql.PRUNE_LANES, SLICE),
        tx.change(sql.PRUNE_TALLIES, now, SLICE),
    )
    return sum(slices), SLICE in slices
