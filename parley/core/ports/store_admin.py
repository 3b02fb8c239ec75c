"""The port to all work that the store has, finished or not: looked through, and removed for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from parley.core.ports.feedback import FeedbackIndex
from parley.core.ports.journal import Journal, QueueItem
from parley.core.ports.subject_index import SubjectIndex


class ItemState(StrEnum):
    """What became of an item."""

    WAITING = "waiting"
    DONE = "done"
    DEAD = "dead"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item as the store has it. `reason` says why it is dead; `held` that somebody works its lane now."""

    item: QueueItem
    fate: ItemState
    reason: str = ""
    held: bool = False

    @property
    def in_hand(self) -> bool:
        """Return whether it is being worked at this moment: its holder has noted on it."""
        return self.fate is ItemState.WAITING and self.held and bool(self.item.note)


@dataclass(frozen=True, slots=True)
class StoredItemPage:
    """Some of the items; the next slice begins after the id `after`. `more` is false at the end."""

    items: tuple[StoredItem, ...]
    after: int
    more: bool


@dataclass(frozen=True, slots=True)
class QueueBacklog:
    """Conversations (or persons, for memory) of a queue that could be worked now and are not.

    `oldest` is for how long the first of them has been waiting, in seconds.
    """

    lanes: int
    oldest: float


class StoreAdmin(Journal, SubjectIndex, FeedbackIndex, Protocol):
    """A journal that can be looked through. Every method raises StoreUnavailable."""

    async def search(
        self, words: Sequence[str], lanes: Sequence[str] = (), after: int = 0, names: Sequence[str] = ()
    ) -> StoredItemPage:
        """The items with ids above `after` whose body has one of `words`, or whose lane, of any queue, is
        one of `lanes`: a slice of all at a time, so that nobody waits long behind it.

        With `names`, keys of accounts and conversations, only items about one of them are looked at, or in
        one of `lanes`; while the index of older rows is still being made, all.
        """
        ...

    async def index_slice(self) -> bool:
        """Index some of the rows that an older Parley wrote; False where none are left."""
        ...

    async def remove(self, items: Sequence[int]) -> tuple[int, ...]:
        """Remove items for good, whatever became of them; returns the ids of those that are gone now.

        What is being worked at this moment stays. Names of messages stay too: one that is delivered again
        is still known.
        """
        ...
