"""What the operator and the clock do: dead letters and retention."""

from __future__ import annotations

from functools import partial

from parley.store.retention import Retention
from parley.store.sqlite.execution.transaction import Transaction
from parley.store.sqlite.execution.writer import Writer
from parley.store.sqlite.operations import sql

SLICE = 500
"""Rows removed in one operation, so that nobody waits long behind it."""

LANES = 2000
"""Lanes looked at in one operation."""

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
        tx.change(sql.PRUNE_TALLIES, now, SLICE),
    )
    return sum(slices), SLICE in slices


async def prune_store(writer: Writer, retention: Retention, now: float) -> int:
    """Remove what is past its time, a slice at a time; returns how many rows. Raises StoreUnavailable."""
    total, more = 0, True
    while more:
        removed, more = await writer.submit(lambda tx: prune(tx, retention, now))
        total += removed
    last: tuple[str, str] | None = ("", "")
    while last is not None:
        removed, last = await writer.submit(partial(prune_lanes, after=last))
        total += removed
    return total


def prune_lanes(tx: Transaction, after: tuple[str, str]) -> tuple[int, tuple[str, str] | None]:
    """Remove the empty ones of the lanes after one; returns how many, and the last one looked at, if there
    are more.
    """
    for queue, lane in tx.rows(sql.LANES_SLICE_END, *after, LANES - 1):
        return tx.change(sql.PRUNE_LANES, *after, queue, lane), (queue, lane)
    return tx.change(sql.PRUNE_LAST_LANES, *after), None
