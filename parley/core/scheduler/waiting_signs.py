"""Signs for people whose message cannot be worked yet, as all turns that there may be are under way.

They are an extra: a few a second whatever waits, in memory only, and no turn waits for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from parley.core.model.address import account_key
from parley.core.model.errors import ChannelError, StoreUnavailable
from parley.core.model.queues import turn_queue_of
from parley.core.model.types import InboundMessage, ReplyTarget
from parley.core.ports.channel import CURRENT_CHANNEL, WaitingSign
from parley.core.ports.journal import QueueItem, log_store_failure
from parley.core.ports.lease import uptime
from parley.core.services import CoreServices

log = logging.getLogger(__name__)

SHOWN_AFTER = 3.0
"""Seconds after its acceptance that a message carries a sign, unless its turn has begun."""
AT_ONCE = 10
"""Messages of which one look shows that they wait, and signs of which it asks whether they are over."""
MOST = 1_000
"""Messages that are known, and signs that stand; what comes beyond carries none."""
_LOOK_EVERY = 1.0
_LONGEST = 10.0
"""Seconds that a platform may take for a sign."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    message: InboundMessage
    since: float


class WaitingSigns:
    """Shows people that their message waits, and takes that away when it is answered, or gone.

    `is_full` tells whether a message of an account has to wait now. A sign that stands while this process
    dies goes with the answer, on channels whose receipt it is.
    """

    def __init__(
        self,
        services: Callable[[], CoreServices],
        is_full: Callable[[str], bool],
        clock: Callable[[], float] = uptime,
    ) -> None:
        self._services, self._is_full, self._clock = services, is_full, clock
        self._new: OrderedDict[int, _Waiting] = OrderedDict()
        self._shown: OrderedDict[int, _Waiting] = OrderedDict()

    def add(self, message: InboundMessage, item: int) -> None:
        """Note that a message was accepted for a turn."""
        if len(self._new) < MOST:
            self._new[item] = _Waiting(message, self._clock())

    def begin(self, items: Iterable[QueueItem]) -> None:
        """Note that their turn begins here: they need no sign any more."""
        for item in items:
            self._new.pop(item.id, None)

    async def end(self, items: Iterable[QueueItem]) -> None:
        """Take the signs of messages away whose turn is over."""
        for item in items:
            await self._end(item.id)

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            try:
                await self.look()
            except StoreUnavailable as error:
                log_store_failure(log.info, "who waits is not told so: %s", error)

    async def look(self) -> None:
        """Show and take away what is due now, a few of each. Raises StoreUnavailable."""
        for item in self._due():
            waiting = self._new.pop(item, None)
            if waiting is not None and await self._is_head(item, waiting.message):
                self._shown[item] = waiting
                await self._show(item, waiting.message, waits=True)
        for item, waiting in list(islice(self._shown.items(), AT_ONCE)):
            if not any(each.id == item for each in await self._queue(waiting.message)):
                await self._end(item)
            elif item in self._shown:
                self._shown.move_to_end(item)

    async def _end(self, item: int) -> None:
        if (waiting := self._shown.pop(item, None)) is not None:
            await self._show(item, waiting.message, waits=False)

    def _due(self) -> list[int]:
        """Return whom to tell now; who has been waiting for long while there was room waits for another
        reason, or is answered by another node.
        """
        due = list[int]()
        for item, waiting in list(self._new.items()):
            if self._clock() - waiting.since < SHOWN_AFTER or len(due) == AT_ONCE:
                break
            if len(self._shown) + len(due) < MOST and self._is_full(account_key(waiting.message.sender)):
                due.append(item)
            else:
                del self._new[item]
        return due

    async def _is_head(self, item: int, message: InboundMessage) -> bool:
        """Return whether nobody began with it, and nothing of its own conversation is before it."""
        queue = await self._queue(message)
        return bool(queue) and queue[0].id == item and not queue[0].note

    async def _queue(self, message: InboundMessage) -> tuple[QueueItem, ...]:
        conversation = message.conversation
        return await self._services().journal.waiting(turn_queue_of(conversation), conversation.key)

    async def _show(self, item: int, message: InboundMessage, *, waits: bool) -> None:
        """Show it by the reply that is going to be, where the channel is still on: an extra."""
        services, place = self._services(), message.conversation
        channel = services.channels.get(place.channel)
        if channel is None:
            return
        CURRENT_CHANNEL.set(channel.name)
        turn = services.conversations.turn_id(item)
        target = ReplyTarget(turn, place, message.reply_to, message.sender, message.private)
        reply = channel.open_reply(target, _keep_nothing)
        if not isinstance(reply, WaitingSign):
            return
        try:
            async with asyncio.timeout(_LONGEST):
                await reply.show_waiting(waits=waits)
        except (ChannelError, TimeoutError) as error:
            log.info("a sign that a message waits: %s", str(error) or type(error).__name__)


async def _keep_nothing(handle: str) -> None:
    """Keep no handle: a sign leaves nothing behind."""
