"""Working lanes: claim, checkpoint, finish, give back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile

from bridge.errors import LaneLost
from bridge.journal import Tally
from bridge.ports import Claim, Document, Item, Put
from store.sqlite import documents, puts, sql, tallies
from store.sqlite.transaction import Transaction, items_of

ITEMS_PER_LANE = 100


@dataclass(frozen=True, slots=True)
class Finish:
    """What `done` does in one transaction; see bridge.ports.Journal."""

    claim: Claim
    items: tuple[Item, ...]
    note: str | None
    puts: tuple[Put, ...]
    documents: tuple[Document, ...]
    tallies: tuple[Tally, ...]


def claim(tx: Transaction, queue: str, limit: int) -> tuple[Claim, ...]:
    """Hold up to `limit` lanes whose head is due, the longest ready first."""
    claims: list[Claim] = []
    epoch = 0
    for (lane,) in tx.rows(sql.READY_LANES, queue, tx.now, max(limit, 0)):
        items = _due_items(tx, queue, lane)
        if not items:  # a lapsed lane with nothing to do yet
            tx.change(sql.FREE, queue, lane)
            continue
        epoch = epoch or tx.rows(sql.NEXT_EPOCH)[0][0]
        tx.change(sql.HOLD, epoch, tx.node, tx.now, tx.lease_until, queue, lane)
        claims.append(Claim(queue, lane, epoch, items))
    return tuple(claims)


def _due_items(tx: Transaction, queue: str, lane: str) -> tuple[Item, ...]:
    heads = tx.rows(sql.HEADS, queue, lane, ITEMS_PER_LANE)
    return items_of(row[1:] for row in takewhile(lambda row: row[0] <= tx.now, heads))


def note(tx: Transaction, claim: Claim, item: int, text: str) -> bool:
    """Checkpoint; False when the item is no more, and then the lane is free."""
    version = _version(claim, item)
    if tx.change(sql.NOTE, text, item, version, claim.queue, claim.lane, claim.epoch, tx.node):
        return True
    _demand(tx, claim)
    return _still_waiting(tx, claim, [item])


def done(tx: Transaction, finish: Finish) -> bool:
    """Finish and free; False when every item was cancelled: then the lane was freed, and no more."""
    finished = [tx.change(sql.FINISH, tx.now, finish.note, item.id, item.version) for item in finish.items]
    if finished and not any(finished):
        _demand(tx, finish.claim)
        if not _still_waiting(tx, finish.claim, [item.id for item in finish.items]):
            return False
    for document in finish.documents:
        documents.write(tx, document)
    puts.put_all(tx, finish.puts)
    tallies.add(tx, finish.tallies)
    free(tx, finish.claim)
    return True


def release(tx: Transaction, claim: Claim) -> None:
    """Free the lane if it is still held by the claim."""
    with suppress(LaneLost):
        free(tx, claim)


def retry(tx: Transaction, claim: Claim, delay: float) -> None:
    """Count an attempt on the head, hold the lane back for `delay` seconds, and free it."""
    for head in claim.items[:1]:
        tx.change(sql.COUNT_ATTEMPT, tx.now + max(delay, 0.0), head.id)
    free(tx, claim)


def bury(tx: Transaction, claim: Claim, items: Sequence[Item], reason: str) -> bool:
    """Dead-letter and free; False when every item was cancelled: then the lane was freed, and no more."""
    buried = [tx.change(sql.BURY, tx.now, reason, item.id, item.version) for item in items]
    if buried and not any(buried):
        _demand(tx, claim)
        if not _still_waiting(tx, claim, [item.id for item in items]):
            return False
    free(tx, claim)
    return True


def free(tx: Transaction, claim: Claim) -> None:
    """Give the lane back. Raises LaneLost, which undoes the operation, when it is not held by the claim."""
    freed = tx.rows(sql.FREE_CLAIMED, claim.queue, claim.lane, claim.epoch, tx.node)
    if not freed:
        raise LaneLost(f"lane {claim.lane} of {claim.queue} is no longer held")
    if freed[0][0] is not None:
        tx.woken.add(claim.queue)


def cancel(tx: Transaction, queue: str, lane: str, before: int) -> tuple[Item, ...]:
    """Take back what nobody has noted on yet."""
    cancelled = items_of(sorted(tx.rows(sql.CANCEL, tx.now, queue, lane, before)))
    if cancelled:
        tx.change(sql.REFRESH, queue, lane)
        tx.woken.add(queue)
    return cancelled


def _version(claim: Claim, item: int) -> int | None:
    """The version that was handed out; None for an item the holder met later."""
    return next((held.version for held in claim.items if held.id == item), None)


def _demand(tx: Transaction, claim: Claim) -> None:
    if not tx.rows(sql.HELD, claim.queue, claim.lane, claim.epoch, tx.node):
        raise LaneLost(f"lane {claim.lane} of {claim.queue} is no longer held")


def _still_waiting(tx: Transaction, claim: Claim, items: Sequence[int]) -> bool:
    """Whether any of `items` was merely replaced; if none, the claim has lost its point: free the lane."""
    if any(tx.rows(sql.IS_WAITING, item) for item in items):
        return True
    free(tx, claim)
    return False
