"""What happened, for pages that are looking: one compacted log, read by cursor.

An event replaces the older one of its key, so a slow reader skips what is out of date, and the memory used
does not depend on the number of readers. A reader whose cursor is older than the log must load afresh.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from parley.channels.web.chat.entries import ChatConversation, EntryLocation, TranscriptEntry


@dataclass(frozen=True, slots=True)
class EntryShown:
    """A message, or a reply's newest snapshot."""

    place: EntryLocation
    entry: TranscriptEntry

    @property
    def key(self) -> str:
        return f"{self.entry.role}:{self.entry.id}"

    @property
    def weight(self) -> int:
        return 200 + len(self.entry.text)


@dataclass(frozen=True, slots=True)
class ChatChanged:
    """A conversation is new or changed, or gone when `chat` is None."""

    id: str
    chat: ChatConversation | None

    @property
    def key(self) -> str:
        return f"chat:{self.id}"

    @property
    def weight(self) -> int:
        return 500


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """What is remembered of the page's person changed, or how much is still to be learned from."""

    @property
    def key(self) -> str:
        return "memory"

    @property
    def weight(self) -> int:
        return 100


ChatEvent: TypeAlias = EntryShown | ChatChanged
"""What the pages of all nodes are told."""
PageEvent: TypeAlias = ChatEvent | MemoryChanged


class EventLog:
    """The log. Cursors are `(epoch, number)`: an epoch is one process's life."""

    def __init__(self, max_events: int = 500, max_weight: int = 8_000_000) -> None:
        self.epoch = secrets.token_hex(4)
        self._max_events = max_events
        self._max_weight = max_weight
        self._log: OrderedDict[str, tuple[int, PageEvent]] = OrderedDict()
        self._weight = 0
        self._floor = 0
        self._changed = asyncio.Event()
        self.newest = 0

    def publish(self, event: PageEvent) -> None:
        """Make an event known to every reader, now or when it comes back."""
        self.newest += 1
        if event.key in self._log:
            self._weight -= self._log.pop(event.key)[1].weight
        self._log[event.key] = (self.newest, event)
        self._weight += event.weight
        while len(self._log) > 1 and self._too_much():
            _, (number, dropped) = self._log.popitem(last=False)
            self._weight -= dropped.weight
            self._floor = number
        self._changed.set()
        self._changed = asyncio.Event()

    def ended(self, shown: EntryShown) -> bool:
        """Return whether the entry was shown in full already."""
        _, known = self._log.get(shown.key, (0, None))
        return isinstance(known, EntryShown) and known.entry.final

    def forget(self) -> None:
        """Have every reader load afresh: something may have happened that is not in the log."""
        self._log.clear()
        self._weight = 0
        self.newest += 1
        self._floor = self.newest
        self._changed.set()
        self._changed = asyncio.Event()

    def since(self, number: int) -> Sequence[tuple[int, PageEvent]] | None:
        """Return events after `number` in order, each key once; None when some are no longer known."""
        if number < self._floor:
            return None
        found: list[tuple[int, PageEvent]] = []
        for numbered in reversed(self._log.values()):
            if numbered[0] <= number:
                break
            found.append(numbered)
        found.reverse()
        return found

    async def wait(self, number: int) -> None:
        """Return when there is something after `number`."""
        while self.newest <= number:
            await self._changed.wait()

    def cursor(self, text: str) -> int | None:
        """Return the number in a reader's `Last-Event-ID`, None when it is not of this epoch."""
        epoch, _, number = text.partition(".")
        if epoch != self.epoch or not (number.isascii() and number.isdigit() and len(number) < 16):
            return None
        return min(int(number), self.newest)

    def _too_much(self) -> bool:
        return len(self._log) > self._max_events or self._weight > self._max_weight
