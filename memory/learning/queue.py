"""Durable queue of turns to learn from: one lane for each person.

A lane is one trigger (the slot "learn", an empty body) and behind it the turns, each an item of its own.
The trigger is delayed, and every new turn delays it again, up to `max_wait`; as a lane is worked strictly in
order, it holds the turns back. So recording is one small transaction, however many turns wait, and a turn
stays in the queue until the transaction that completes it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from parley.core.dead_letters import position_after
from parley.core.model.address import account_key
from parley.core.model.codec import decode, encode
from parley.core.model.queues import LEARNING
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import NEWEST_DEAD, Journal, NewQueueItem, QueueItem
from parley.core.ports.memory.admin import FailedTurn, FailedTurnPage
from parley.core.ports.store_admin import ItemState, StoredItemPage
from parley.memory.learning.extraction.turn_filter import MOST_KEPT, head_and_tail
from parley.memory.options import MemoryOptions
from parley.memory.text.secrets.masking import mask_secrets

log = logging.getLogger(__name__)

QUEUE = LEARNING
_SLOT = "learn"
# Longest wait of a turn as a share of `max_wait`; the rest is for its lesson to start where many are due.
_IN_TIME = 0.9
_LOOK_EVERY = 32
_PAGE, _PAGES_READ = 500, 10


class LearningJournal(Journal, Protocol):
    """A journal with the operator's side of dead letters."""

    async def count_waiting(self, queue: str, most: int) -> int:
        """Return how many items of a queue wait, without the empty ones; no more than `most` are counted."""
        ...

    async def dead_by_queue(self) -> Mapping[str, int]:
        """Return how many dead letters each queue has, without the empty ones."""
        ...

    async def revive(self, item: int) -> bool:
        """Requeue a dead letter; return False if there is none."""
        ...

    async def discard(self, item: int) -> bool:
        """Delete a dead letter; return False if there is none."""
        ...

    async def search(
        self, words: Sequence[str], lanes: Sequence[str] = (), after: int = 0, names: Sequence[str] = ()
    ) -> StoredItemPage:
        """Return a slice of all items; see core.ports.store_admin.StoreAdmin."""
        ...


def _never(said: str) -> bool:
    """Take nothing for a correction."""
    return False


def _ignore(person: str) -> None:
    """Let nobody know."""


class LearningQueue:
    """Waiting and failed turns by person. Every method raises StoreUnavailable.

    `corrects` says whether words correct the assistant: such turns are dropped last. `changed` is told whose
    turns are more or fewer now.
    """

    def __init__(
        self,
        journal: LearningJournal,
        options: MemoryOptions,
        corrects: Callable[[str], bool] = _never,
        changed: Callable[[str], None] = _ignore,
    ) -> None:
        self._changed = changed
        self._journal = journal
        self._options = options
        self._corrects = corrects
        self._added: Counter[str] = Counter()

    async def add(self, turn: CompletedTurn) -> None:
        """Add a turn, durable on return; the same turn twice is stored once."""
        await self._put(turn, self._options.debounce_seconds)
        self._added[turn.person] += 1
        if self._added[turn.person] >= _LOOK_EVERY:
            await self._trim(turn.person)
        self._changed(turn.person)

    async def waiting(self, person: str) -> tuple[CompletedTurn, ...]:
        """Return the waiting turns of a person, in order."""
        found = (decode_turn(item) for item in await self._waiting(person))
        return tuple(turn for turn in found if turn is not None)

    async def count_waiting(self, most: int) -> int:
        """Return how many turns of everybody wait; no more than `most` are counted."""
        return await self._journal.count_waiting(QUEUE, most)

    async def count_dead(self) -> int:
        """Return how many turns of everybody failed."""
        return (await self._journal.dead_by_queue()).get(QUEUE, 0)

    async def cancel(self, person: str) -> int:
        """Cancel waiting turns, also those in progress; return how many."""
        items = await self._journal.waiting(QUEUE, person)
        if not items:
            return 0
        gone = await self._journal.cancel(QUEUE, person, items[-1].id + 1)
        self._changed(person)
        return sum(not is_trigger(item) for item in gone)

    async def discard_dead(self, person: str) -> int:
        """Delete a person's failed turns; return how many."""
        return sum([await self._journal.discard(item.id) for item in await self._dead_of(person)])

    async def move(self, source: str, into: str) -> None:
        """Move one person's turns to another, to whom they belong now.

        Failed turns are queued again: they then belong to the other person.
        """
        for turn in (*await self.waiting(source), *await self._given_up(source)):
            moved = replace(turn, person=into, id=f"{turn.id}>{into}")
            await self._put(moved, self._options.debounce_seconds)
        await self.cancel(source)
        await self.discard_dead(source)

    async def split_account(self, person: str, into: str, account: str) -> None:
        """Move the turns of `person`, waiting or failed, that `account` said, to `into`.

        What the other accounts said waits again: a lane is emptied as a whole.
        """
        items = await self._journal.waiting(QUEUE, person)
        turns = [turn for turn in map(decode_turn, items) if turn is not None]
        if any(account_key(turn.speaker) == account for turn in turns):
            moved = [replace(turn, person=_owner(turn, person, into, account)) for turn in turns]
            for turn in moved:
                await self._put(replace(turn, id=f"{turn.id}>{turn.person}"), self._options.debounce_seconds)
            await self._journal.cancel(QUEUE, person, items[-1].id + 1)
            await self._journal.put(self._trigger(person, self._options.debounce_seconds))
        for item in await self._dead_of(person):
            dead = decode_turn(item)
            if dead is not None and account_key(dead.speaker) == account:
                moved_on = replace(dead, person=into, id=f"{dead.id}>{into}")
                await self._put(moved_on, self._options.debounce_seconds)
                await self._journal.discard(item.id)

    async def dead(self, limit: int = 100, before: tuple[float, int] = NEWEST_DEAD) -> FailedTurnPage:
        """Return failed turns from before a position, newest first, at most `limit`.

        Of the dead letters of everything so many are read, and no more: a page may be empty.
        """
        found = list[QueueItem]()
        for _ in range(_PAGES_READ):
            page = await self._journal.dead(_PAGE, before)
            for item in page:
                if item.queue == QUEUE and not is_trigger(item):
                    found.append(item)
                    if len(found) == limit:
                        return FailedTurnPage(tuple(map(_failed_turn, found)), position_after(item))
            if len(page) < _PAGE:
                return FailedTurnPage(tuple(map(_failed_turn, found)), "")
            before = (page[-1].ended_at, page[-1].id)
        return FailedTurnPage(tuple(map(_failed_turn, found)), position_after(page[-1]))

    async def retry_dead(self, item: int) -> bool:
        """Requeue a failed turn; return False when there is none of this number."""
        beside = await self._journal.dead_beside(item)
        known = any(each.id == item and each.queue == QUEUE and not is_trigger(each) for each in beside)
        return known and await self._journal.revive(item)

    def reset_count(self, person: str) -> None:
        """Reset the count of a person's turns, whose lane was worked."""
        self._added.pop(person, None)
        self._changed(person)

    async def _given_up(self, person: str) -> list[CompletedTurn]:
        found = map(decode_turn, await self._dead_of(person))
        return [turn for turn in found if turn is not None]

    async def _dead_of(self, person: str) -> list[QueueItem]:
        """Return a person's dead letters, the oldest first. The index finds them: no others are read."""
        dead, after, more = list[QueueItem](), 0, True
        while more:
            page = await self._journal.search((), (person,), after, (person,))
            dead += [each.item for each in page.items if each.fate is ItemState.DEAD]
            after, more = page.after, page.more
        return [item for item in dead if item.queue == QUEUE]

    def _trigger(self, person: str, delay: float) -> NewQueueItem:
        longest = self._options.max_wait * _IN_TIME
        return NewQueueItem(QUEUE, person, "", slot=_SLOT, delay=delay, max_wait=longest)

    async def _put(self, turn: CompletedTurn, delay: float) -> None:
        kept = replace(
            turn,
            user_text=mask_secrets(head_and_tail(turn.user_text, MOST_KEPT)).text,
            reply_text=mask_secrets(head_and_tail(turn.reply_text, MOST_KEPT)).text,
        )
        trigger = self._trigger(turn.person, delay)
        await self._journal.put(trigger, NewQueueItem(QUEUE, turn.person, encode(kept), dedupe=turn.id))

    async def _waiting(self, person: str) -> list[QueueItem]:
        items = await self._journal.waiting(QUEUE, person)
        return [item for item in items if not is_trigger(item)]

    async def _trim(self, person: str) -> None:
        """Drop the oldest turns above the limit, corrections last, so that no backlog grows without bound."""
        turns = await self._waiting(person)
        excess = len(turns) - self._options.queue_limit
        self._added.pop(person, None)
        if excess <= 0:
            return
        oldest = sorted(turns[:-1], key=self._is_correction)[:excess]
        gone = [await self._journal.withdraw(QUEUE, person, item.id) for item in oldest]
        log.warning(
            "person %s: %d turns wait to be learned from; the oldest %d are let go",
            person, len(turns), sum(gone),
        )  # fmt: skip

    def _is_correction(self, item: QueueItem) -> bool:
        turn = decode_turn(item)
        return turn is not None and self._corrects(turn.user_text)


def _owner(turn: CompletedTurn, person: str, into: str, account: str) -> str:
    return into if account_key(turn.speaker) == account else person


def _failed_turn(item: QueueItem) -> FailedTurn:
    turn = decode_turn(item)
    return FailedTurn(item.id, item.lane, "" if turn is None else turn.id, item.put_at, item.note)


def is_trigger(item: QueueItem) -> bool:
    """Return whether an item is the lane's trigger rather than a turn."""
    return not item.body


def decode_turn(item: QueueItem) -> CompletedTurn | None:
    """Return the turn of an item; None for a body that is not one."""
    try:
        return decode(CompletedTurn, item.body)
    except ValueError:
        return None
