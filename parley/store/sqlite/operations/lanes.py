"""Working lanes: claim, checkpoint, finish, give back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import ClassVar, Self

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Claim, CounterIncrement, Document, NewQueueItem, QueueItem
from parley.store.rows import Row, parse_items
from parley.store.sqlite.execution.transaction import Mergeable, Transaction, Value, as_json
from parley.store.sqlite.operations import counters, documents, puts, sql

ITEMS_PER_LANE = 100


@dataclass(frozen=True, slots=True)
class Finish:
    """What `done` does in one transaction; see core.ports.journal.Journal."""

    claim: Claim
    items: tuple[QueueItem, ...]
    note: str | None
    puts: tuple[NewQueueItem, ...]
    documents: tuple[Document, ...]
    tallies: tuple[CounterIncrement, ...]


def claim(tx: Transaction, queue: str, limit: int) -> tuple[Claim, ...]:
    """Hold up to `limit` lanes whose head is due, the longest ready first."""
    heads: dict[str, list[Row]] = {}
    for lane, *head in tx.rows(sql.READY, queue, tx.now, max(limit, 0), ITEMS_PER_LANE):
        heads.setdefault(lane, []).append(tuple(head))
    held = {lane: items for lane, rows in heads.items() if (items := _due_items(tx, rows))}
    for lane in heads.keys() - held.keys():  # lapsed, with nothing to do yet
        tx.change(sql.FREE, queue, lane)
    if not held:
        return ()
    epoch = tx.rows(sql.NEXT_EPOCH)[0][0]
    counts = {lane: _crashes(heads[lane][0]) for lane in held}
    for (crashes, trials), lanes in _together(counts).items():
        _hold(tx, lanes, (epoch, tx.node, tx.now, tx.lease_until, crashes + 1, trials, queue))
    return tuple(
        Claim(queue, lane, epoch, items, crashes=counts[lane][0], trials=counts[lane][1])
        for lane, items in held.items()
    )


def _due_items(tx: Transaction, heads: Sequence[Row]) -> tuple[QueueItem, ...]:
    return parse_items(
        row[3:] for row in takewhile(lambda row: row[2] is not None and row[2] <= tx.now, heads)
    )


def _crashes(head: Row) -> tuple[int, int]:
    """Return how many claims of a lane vanished, and how many trials among them."""
    return (head[0], head[1]) if head[0] else (0, 0)


def _together(counts: Mapping[str, tuple[int, int]]) -> Mapping[tuple[int, int], list[str]]:
    """Return the lanes of each count; nearly always there is one count, of nothing."""
    lanes: dict[tuple[int, int], list[str]] = {}
    for lane, count in counts.items():
        lanes.setdefault(count, []).append(lane)
    return lanes


def _hold(tx: Transaction, lanes: Sequence[str], holding: Sequence[Value]) -> None:
    together = as_json(lanes) if len(lanes) > 1 else None
    if together is not None:
        tx.change(sql.HOLD_ALL, *holding, together)
    else:
        for lane in lanes:
            tx.change(sql.HOLD, *holding, lane)


def set_trials(tx: Transaction, claim: Claim, trials: int) -> None:
    """Keep a number with a held lane. Raises LaneLost."""
    if not tx.change(sql.SET_TRIALS, trials, claim.queue, claim.lane, claim.epoch, tx.node):
        raise LaneLost(f"lane {claim.lane} of {claim.queue} is no longer held")


@dataclass(frozen=True, slots=True)
class Note(Mergeable):
    """An operation: checkpoint; False when the item is no more, and then the lane is free."""

    single: ClassVar[bool] = True

    claim: Claim
    item: int
    text: str

    def __call__(self, tx: Transaction) -> bool:
        """Make it by itself."""
        claim = self.claim
        held = (claim.queue, claim.lane, claim.epoch, tx.node)
        if tx.change(sql.NOTE, self.text, self.item, _version(claim, self.item), *held):
            return True
        _demand(tx, claim)
        return _still_waiting(tx, claim, [self.item])

    @classmethod
    def together(cls, tx: Transaction, operations: Sequence[Self]) -> Iterator[bool]:
        """Return what each would answer if made in turn. To note the same again changes nothing."""
        noted = len(operations) > 1 and _note_all(tx, operations)
        return (noted or each(tx) for each in operations)


def _note_all(tx: Transaction, notes: Sequence[Note]) -> bool:
    """Return whether all could be made; of those of one holder for one item the last stays."""
    newest = {(each.item, each.claim.epoch, each.claim.lane, each.claim.queue): each for each in notes}
    rows = as_json(
        [
            (item, _version(each.claim, item), each.text, queue, lane, epoch)
            for (item, epoch, lane, queue), each in newest.items()
        ]
    )
    return rows is not None and tx.change(sql.NOTE_ALL, rows, tx.node) == len(newest)


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
    counters.add(tx, finish.tallies)
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


def bury(tx: Transaction, claim: Claim, items: Sequence[QueueItem], reason: str) -> bool:
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
        tx.wake(claim.queue, freed[0][0])


def cancel(tx: Transaction, queue: str, lane: str, before: int) -> tuple[QueueItem, ...]:
    """Take back what nobody has noted on yet."""
    cancelled = parse_items(sorted(tx.rows(sql.CANCEL, tx.now, queue, lane, before)))
    if cancelled:
        tx.change(sql.REFRESH, queue, lane)
        tx.wake(queue)
    return cancelled


def withdraw(tx: Transaction, queue: str, lane: str, item: int) -> bool:
    """Take one item back where nobody has noted on it yet."""
    withdrawn = tx.change(sql.WITHDRAW, tx.now, queue, lane, item) > 0
    if withdrawn:
        tx.change(sql.REFRESH, queue, lane)
        tx.wake(queue)
    return withdrawn


def _version(claim: Claim, item: int) -> int | None:
    """Return the version that was handed out; None for an item the holder met later."""
    return next((held.version for held in claim.items if held.id == item), None)


def _demand(tx: Transaction, claim: Claim) -> None:
    if not tx.rows(sql.HELD, claim.queue, claim.lane, claim.epoch, tx.node):
        raise LaneLost(f"lane {claim.lane} of {claim.queue} is no longer held")


def _still_waiting(tx: Transaction, claim: Claim, items: Sequence[int]) -> bool:
    """Return whether any of `items` was merely replaced.

    If none, the claim has lost its point: free the lane.
    """
    if any(tx.rows(sql.IS_WAITING, item) for item in items):
        return True
    free(tx, claim)
    return False
