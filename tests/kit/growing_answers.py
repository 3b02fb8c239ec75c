"""Answers that grow at once under a budget, in virtual time, on a platform that counts for itself."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Sequence

from parley.channels.kit.budget.limits import CountedCalls
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.core.delivery.delivery import Delivery
from parley.core.model.address import Conversation
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Reply
from parley.core.ports.sending import Priority
from tests.kit.virtual_time import loop_time

Calls = Sequence[tuple[CountedCalls, ...]]
"""The calls of one snapshot, or of one final: what each counts as."""
Limit = tuple[str, int, float]
"""A platform's own count: calls whose key begins so, so many, in so many seconds."""


class StrictPlatform:
    """Counts calls by its own limits."""

    def __init__(self, limits: Sequence[Limit]) -> None:
        self._limits = limits
        self._seen: defaultdict[tuple[str, float], deque[float]] = defaultdict(deque)
        self.refused = 0

    def take(self, key: str) -> None:
        """Count a call; it was one too many where a window is full."""
        for prefix, most, seconds in self._limits:
            if key.startswith(prefix):
                seen = self._seen[key, seconds]
                seen.append(loop_time())
                while seen[0] <= loop_time() - seconds:
                    seen.popleft()
                self.refused += len(seen) > most


class ModelReply(Reply):
    """Makes the calls of a snapshot and of a final, and nothing else."""

    def __init__(self, budget: RateBudget, platform: StrictPlatform, shows: Calls, ends: Calls) -> None:
        self._budget, self._platform = budget, platform
        self._shows, self._ends = shows, ends

    async def show(self, snapshot: OutboundMessage) -> None:
        await self._call(self._shows)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        await self._call(self._ends)
        return Receipt(("1",))

    async def _call(self, calls: Calls) -> None:
        for counted in calls:
            async with self._budget.call(*counted):
                for each in counted:
                    self._platform.take(each.key)
                await asyncio.sleep(0.05)


async def latest_final(
    platform: StrictPlatform, answers: Sequence[tuple[Calls, Calls]], interval: float, seconds: float = 25.0
) -> float:
    """Let all answers grow for so long; returns how long after their common end the last was delivered."""
    budget, late = RateBudget(loop_time), []

    async def answer(number: int, shows: Calls, ends: Calls) -> None:
        reply = ModelReply(budget, platform, shows, ends)
        delivery, message = Delivery(reply, interval, priority=Priority.FINAL), _message(number)
        async with delivery.showing():
            for _ in range(round(seconds / 0.1)):
                delivery.offer(message)
                await asyncio.sleep(0.1)
            ended = loop_time()
        await delivery.finish(message)
        late.append(loop_time() - ended)

    await asyncio.gather(*(answer(number, *each) for number, each in enumerate(answers)))
    return max(late)


def same(count: int, of: Callable[[int], tuple[Calls, Calls]]) -> list[tuple[Calls, Calls]]:
    """Return so many answers, each made for its number."""
    return [of(number) for number in range(count)]


def _message(number: int) -> OutboundMessage:
    return OutboundMessage(f"turn-{number}", Conversation("test", str(number)), "1", "text")
