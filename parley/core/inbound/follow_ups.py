"""Messages that may follow a mention which another node still stores: looked at again, shortly after."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from parley.core.inbound.own_topics import OwnTopics
from parley.core.model.earlier_messages import MessagePosition, compare_positions
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import STORE_PAUSE

RECHECKS = (0.5, 3.0)
"""Seconds after which a message is looked at again: the first is longer than a node takes to store a mention,
and so short that what follows is still one turn with it; the last is for a node that is slow."""

MOST_HELD = 2_000
MOST_CHARACTERS = 4_000_000
"""Of all messages that are held; what comes beyond that is left out at once."""

_GIVE_UP_AFTER = 60.0
"""Seconds for which a message is held while the store is away."""


@dataclass(frozen=True, slots=True)
class _HeldMessage:
    message: InboundMessage
    since: float
    due: float
    looks: int = 0

    def after_look(self) -> _HeldMessage:
        """Return the message as it waits for the next look."""
        return replace(self, looks=self.looks + 1, due=self.since + RECHECKS[self.looks + 1])


class FollowUpRecheck:
    """Holds messages that were left out because nobody had mentioned us in their topic.

    After `RECHECKS` seconds by a monotonic `clock` those are given to `accept` that were written after a
    message for us. They are in memory only: of a node that dies in this moment they stay talk among others.
    """

    def __init__(
        self,
        topics: OwnTopics,
        accept: Callable[[InboundMessage], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._topics = topics
        self._accept = accept
        self._clock = clock
        self._held: list[_HeldMessage] = []
        self._characters = 0
        self._keys: Counter[str] = Counter()
        self._lock = asyncio.Lock()
        self._some = asyncio.Event()

    @property
    def held(self) -> int:
        """Return how many messages are held."""
        return len(self._held)

    def hold(self, message: InboundMessage) -> None:
        """Keep a message for its second look, where there is room."""
        size = _size(message)
        if len(self._held) >= MOST_HELD or self._characters + size > MOST_CHARACTERS:
            return
        now = self._clock()
        self._keep([_HeldMessage(message, now, now + RECHECKS[0])])
        self._some.set()

    async def settle(self, key: str) -> None:
        """Look at what is held of a conversation before what comes after it is accepted there."""
        if key in self._keys:
            await self._look(lambda each: each.message.conversation.key == key)

    async def look(self) -> None:
        """Look at all messages whose time has come."""
        now = self._clock()
        await self._look(lambda each: each.due <= now)

    async def run(self) -> None:
        """Look at messages when they are due, until cancelled."""
        while True:
            await self._some.wait()
            if not self._held:
                self._some.clear()
                continue
            await asyncio.sleep(max(0.0, min(each.due for each in self._held) - self._clock()))
            await self.look()

    async def drain(self, patience: float) -> None:
        """Look at all that is held, now, for `patience` seconds at most: this process ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._look(lambda each: True)

    async def _look(self, is_wanted: Callable[[_HeldMessage], bool]) -> None:
        async with self._lock:
            taken = [each for each in self._held if is_wanted(each)]
            if not taken:
                return
            self._held = [each for each in self._held if not is_wanted(each)]
            lanes: dict[str, list[_HeldMessage]] = {}
            for each in taken:
                lanes.setdefault(each.message.conversation.key, []).append(each)
            try:
                # The store answers all of them in one go.
                left = await asyncio.gather(*map(self._recheck, lanes.values()))
            finally:
                self._forget(taken)
            self._keep([each for lane in left for each in lane])

    async def _recheck(self, held: Sequence[_HeldMessage]) -> Sequence[_HeldMessage]:
        """Accept what follows a message for us; returns what is to be looked at again."""
        written = sorted(held, key=lambda each: each.message.sent_at)
        again: list[_HeldMessage] = []
        done = 0
        try:
            places = await self._topics.positions(held[0].message.conversation)
            for each in written:
                here = MessagePosition(each.message.id, each.message.sent_at)
                if any(compare_positions(place, here) < 0 for place in places):
                    await self._accept(each.message)
                elif each.looks + 1 < len(RECHECKS):
                    again.append(
                        replace(each, looks=each.looks + 1, due=each.since + RECHECKS[each.looks + 1])
                    )
                done += 1
        except StoreUnavailable:
            now = self._clock()
            away = (each for each in written[done:] if now - each.since < _GIVE_UP_AFTER)
            return [*again, *(replace(each, due=now + STORE_PAUSE) for each in away)]
        return again

    def _keep(self, more: Sequence[_HeldMessage]) -> None:
        self._held += more
        for each in more:
            self._characters += _size(each.message)
            self._keys[each.message.conversation.key] += 1

    def _forget(self, gone: Sequence[_HeldMessage]) -> None:
        for each in gone:
            self._characters -= _size(each.message)
            self._keys[each.message.conversation.key] -= 1
        self._keys = +self._keys


def _size(message: InboundMessage) -> int:
    return len(message.text) + len(message.quoted)
