"""Receipts: a reaction on somebody's message, from the beginning of its turn until the answer is there.

A message that has to wait carries it already while it waits.

They are an extra. They are set and taken away in the background, a few at a time, and whatever goes wrong
with them is never in the way of a message, a snapshot or a final.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from parley.channels.kit.keyed_lock import KeyedLock
from parley.channels.kit.lru import LruCache
from parley.channels.kit.retry import RetryPauses, retry
from parley.core.model.errors import ChannelError, ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Reply

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Calls to the platform at the same time."""
DEADLINE = 10.0
"""Seconds for a call, and for the attempts to take a receipt away."""
MAX_WAITING = 1000
"""Calls that may wait; where there are more, further receipts are left out."""
MAX_KNOWN = 10_000
AFTER_REFUSAL = 600.0
"""Seconds without receipts after the platform refused one for good: mostly, a permission is missing."""
_PAUSES = RetryPauses(1.0, attempts=2)


class ReceiptCalls(Protocol):
    """What a platform's receipts are made with. Both raise ChannelError."""

    async def set_receipt(self, target: ReplyTarget) -> str:
        """React to the message that `target` replies to; return what is needed to take that away."""
        ...

    async def clear_receipt(self, target: ReplyTarget, mark: str) -> None:
        """Take the reaction away; `mark` is "" where an earlier process set it, or its answer was lost."""
        ...


class Receipts:
    """The receipts of one channel. Nothing is called outside of `run`; `clock` is monotonic."""

    def __init__(self, calls: ReceiptCalls, clock: Callable[[], float] = time.monotonic) -> None:
        self._calls = calls
        self._clock = clock
        self._waiting: OrderedDict[tuple[str, bool], ReplyTarget] = OrderedDict()
        self._fresh = asyncio.Event()
        self._marks: LruCache[str | None] = LruCache(MAX_KNOWN)
        self._order = KeyedLock()
        self._off_until = float("-inf")

    def around(self, reply: Reply, target: ReplyTarget, *, grows: bool = False) -> Reply:
        """Return the reply with a receipt from its first snapshot to its end; until that only, where it is
        seen that the reply `grows`.
        """
        return ReplyWithReceipt(self, reply, target, grows=grows)

    def begin(self, target: ReplyTarget) -> None:
        """Have the receipt set soon, once for each message."""
        key = _key(target)
        if self._marks.get(key) is None and self._clock() >= self._off_until:
            self._put((key, True), target)

    def end(self, target: ReplyTarget) -> None:
        """Have it taken away soon, if it may be there; one that was not set yet never is."""
        key = _key(target)
        if self._waiting.pop((key, True), None) is not None:
            return
        if self._marks.get(key) is not None or target.handle:
            self._put((key, False), target)

    async def run(self) -> None:
        """Set receipts and take them away until cancelled; what waits then goes on with the next `run`."""
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._work())

    def _put(self, call: tuple[str, bool], target: ReplyTarget) -> None:
        if len(self._waiting) < MAX_WAITING:
            self._waiting[call] = target
            self._fresh.set()

    async def _work(self) -> None:
        while True:
            while not self._waiting:
                self._fresh.clear()
                await self._fresh.wait()
            (key, begins), target = self._waiting.popitem(last=False)
            if begins:
                # From here on it may be there, whatever becomes of the call.
                self._marks.put(key, "")
            async with self._order.hold(key):
                await (self._set(key, target) if begins else self._clear(key, target))

    async def _set(self, key: str, target: ReplyTarget) -> None:
        mark = ""

        async def call() -> None:
            nonlocal mark
            mark = await self._calls.set_receipt(target)

        refused = await self._attempt("set", call)
        self._marks.put(key, None if refused else mark)

    async def _clear(self, key: str, target: ReplyTarget) -> None:
        mark = self._marks.get(key) or ""
        self._marks.put(key, None)

        async def call() -> None:
            await retry(
                lambda: self._calls.clear_receipt(target, mark),
                lambda error: log.debug("a receipt is taken away later (%s)", error),
                _PAUSES,
                (ChannelUnavailable, RateLimited),
            )

        await self._attempt("cleared", call)

    async def _attempt(self, what: str, call: Callable[[], Awaitable[None]]) -> bool:
        """Make a call; tell whether the platform refused it for good."""
        try:
            async with asyncio.timeout(DEADLINE):
                await call()
        except DeliveryRejected as error:
            log.info("a receipt was not %s, there are none for a while: %s", what, error)
            self._off_until = self._clock() + AFTER_REFUSAL
            return True
        except (ChannelError, TimeoutError) as error:
            log.info("a receipt was not %s: %s", what, str(error) or type(error).__name__)
        return False


class ReplyWithReceipt(Reply):
    """A reply whose first snapshot sets a receipt, and whose end takes it away."""

    def __init__(self, receipts: Receipts, reply: Reply, target: ReplyTarget, *, grows: bool) -> None:
        # Where the reply grows there is one only if the message waited, which this process knows.
        self._receipts, self._reply = receipts, reply
        self._target = replace(target, handle="") if grows else target
        self._begun, self._grows = False, grows

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the snapshot; the receipt goes beside it."""
        if not self._begun and not self._grows:
            self._receipts.begin(self._target)
        self._begun = True
        await self._reply.show(snapshot)
        if self._grows:
            self._receipts.end(self._target)

    async def show_waiting(self, *, waits: bool) -> None:
        """Set the receipt, or take it away where it is still there."""
        if waits:
            self._receipts.begin(self._target)
        else:
            self._receipts.end(self._target)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver the final; while that is tried again the receipt stays."""
        try:
            receipt = await self._reply.finish(snapshot)
        except DeliveryRejected:
            self._receipts.end(self._target)
            raise
        self._receipts.end(self._target)
        return receipt

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Write the final once more: its receipt is gone."""
        await self._reply.rewrite(snapshot)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Rewrite a question: it has no receipt."""
        await self._reply.settle(snapshot)


def _key(target: ReplyTarget) -> str:
    return f"{target.conversation.key} {target.reply_to}"
