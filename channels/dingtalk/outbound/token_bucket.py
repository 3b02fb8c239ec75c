"""One pace for all cards: what DingTalk allows, it allows the app and not the card."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from parley.core.model.errors import RateLimited


class TokenBucket:
    """At most `rate` calls a second, after `burst` at once. Finals go before snapshots."""

    def __init__(
        self,
        rate: float,
        burst: int = 5,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._sleep = sleep
        self._level = float(burst)
        self._at = clock()

    def try_take(self) -> None:
        """Take a call for a snapshot. Raises RateLimited when there is none now."""
        self._refill()
        if self._level < 1:
            # By chance, so that many cards do not come back all together.
            raise RateLimited("many cards grow at once", random.uniform(0.3, 1.0))
        self._level -= 1

    def take_in_advance(self) -> None:
        """Take another call for the same snapshot, of those to come if there is none."""
        self._level -= 1

    async def take(self) -> None:
        """Take a call for a final, of those to come if there is none, and wait until it may be made."""
        self._refill()
        self._level -= 1
        if self._level < 0:
            await self._sleep(-self._level / self._rate)

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
