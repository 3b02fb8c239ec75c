"""Many answers that grow at once in one channel: how late the last of them is complete."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from parley.core.delivery.delivery import Delivery
from parley.core.delivery.loop_throttle import LoopThrottle
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, Reply
from parley.core.ports.sending import Priority

WORD_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Stage:
    """A channel with its simulated platform, and where answers are to grow.

    `refused` tells how many calls the platform refused; an answer's end takes one call that counts under
    each of `limits`: so many in so many seconds.
    """

    channel: Channel
    targets: Sequence[ReplyTarget]
    refused: Callable[[], int]
    limits: Sequence[tuple[int, float]]

    @property
    def bound(self) -> float:
        """Return the seconds after which the last answer can be complete, were there no snapshots at all."""
        others = len(self.targets) - 1
        return max(others // most * seconds for most, seconds in self.limits)


@dataclass
class Lateness:
    """Seconds from an answer's end until it was delivered, one for each; and how often they were shown."""

    seconds: list[float] = field(default_factory=list)
    shows: int = 0

    @property
    def latest(self) -> float:
        return max(self.seconds)

    @property
    def usual(self) -> float:
        return median(self.seconds)


class NobodyListens:
    """An inbox whose messages nobody answers."""

    def __init__(self) -> None:
        self.is_online = asyncio.Event()

    async def accept(self, message: InboundMessage) -> None:
        """Take it."""

    async def decide(self, click: Click) -> str:
        """Take it."""
        return ""

    def online(self) -> None:
        """Note it."""
        self.is_online.set()


class CountedReply(Reply):
    """A reply that counts what was shown of it."""

    def __init__(self, inner: Reply, seen: Lateness) -> None:
        self._inner, self._seen = inner, seen

    async def show(self, snapshot: OutboundMessage) -> None:
        """Count it where it was shown."""
        await self._inner.show(snapshot)
        self._seen.shows += 1

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver it."""
        return await self._inner.finish(snapshot)


async def grow(stage: Stage, seconds: float) -> Lateness:
    """Let all answers grow for so long, word by word, and end together."""
    seen, turnstile, inbox = Lateness(), LoopThrottle(), NobodyListens()
    listening = asyncio.create_task(stage.channel.listen(inbox))
    try:
        await inbox.is_online.wait()
        await asyncio.gather(*(_answer(stage, each, seconds, turnstile, seen) for each in stage.targets))
    finally:
        listening.cancel()
        await asyncio.wait({listening})
    return seen


async def _answer(
    stage: Stage, target: ReplyTarget, seconds: float, turnstile: LoopThrottle, seen: Lateness
) -> None:
    capabilities = stage.channel.capabilities
    interval = capabilities.edit_interval if target.private else capabilities.group_edit_interval
    reply = CountedReply(stage.channel.open_reply(target, _forget), seen)
    delivery = Delivery(reply, interval, turnstile, Priority.FINAL)
    text = ""
    async with delivery.showing():
        for number in range(round(seconds / WORD_EVERY)):
            text += f"word{number} "
            delivery.offer(OutboundMessage(target.turn_id, target.conversation, target.reply_to, text))
            await asyncio.sleep(WORD_EVERY)
        ended = time.monotonic()
    final = OutboundMessage(target.turn_id, target.conversation, target.reply_to, text, final=True)
    await delivery.finish(final)
    seen.seconds.append(time.monotonic() - ended)


async def _forget(handle: str) -> None:
    """For replies that nobody goes on with."""
