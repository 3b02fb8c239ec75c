"""How fast an app may change cards: all of its answers share what Feishu allows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from parley.core.model.errors import RateLimited


class RateBudget:
    """`rate` a second over time, `burst` at once. `clock` is monotonic."""

    def __init__(
        self, rate: float = 15.0, burst: int = 30, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self.clock = rate, burst, clock
        self._next = 0.0

    def next_slot(self) -> float:
        """Return the caller's turn, as the clock's time; turns are given in the order of asking."""
        earliest = self.clock() - (self._burst - 1) / self._rate
        self._next = max(self._next, earliest) + 1 / self._rate
        return self._next - 1 / self._rate


class ReplyBudget:
    """One reply's share of a budget."""

    def __init__(self, budget: RateBudget) -> None:
        self._budget = budget
        self._slot: float | None = None

    def acquire(self) -> None:
        """Go on now. Raises RateLimited with the wait for our turn, which is kept for us."""
        if self._slot is None:
            self._slot = self._budget.next_slot()
        wait = self._slot - self._budget.clock()
        if wait > 0:
            raise RateLimited("many answers grow at once", wait)
        self._slot = None


class MinimumIntervals:
    """At least so many seconds between two operations on one thing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: dict[int, float] = {}

    async def wait(self, thing: int, gap: float) -> None:
        """Return once the gap has passed; what follows counts as the next operation."""
        wait = self._last.get(thing, 0.0) + gap - self._clock()
        if wait > 0:
            await asyncio.sleep(wait)
        self._last[thing] = self._clock()
