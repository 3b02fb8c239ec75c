"""How fast one message or card may change: what a platform counts for each of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


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
