"""A clock that leaps over what is slept, for budgets whose pauses no test has to live through."""

from __future__ import annotations

import asyncio
import time


class LeapingClock:
    """Goes on as the machine's monotonic clock does; a sleep is over at once, and as late as it was long.

    Who sleep at the same time leap together.
    """

    def __init__(self) -> None:
        self._leapt = 0.0

    def now(self) -> float:
        """Return seconds."""
        return time.monotonic() + self._leapt

    async def sleep(self, seconds: float) -> None:
        """Leap over so many seconds."""
        end = self.now() + seconds
        await asyncio.sleep(0)
        self._leapt += max(0.0, end - self.now())
