"""How late the event loop is: whatever holds it up holds up everybody."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from prometheus_client import Histogram

log = logging.getLogger("parley.app")

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LOOK_EVERY = 0.5
_TOO_LATE = 1.0
_QUIET = 60.0


class LoopLag:
    """Sleeps half a second again and again, and notes by how much it was woken too late."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self.histogram = Histogram(
            "parley_loop_lag_seconds",
            "How late the event loop woke who slept; twice a second.",
            buckets=BOUNDS,
            registry=None,
        )
        self._told = float("-inf")

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            due = self._clock() + _LOOK_EVERY
            await self._sleep(_LOOK_EVERY)
            self._note(max(0.0, self._clock() - due))

    def _note(self, lag: float) -> None:
        self.histogram.observe(lag)
        now = self._clock()
        if lag > _TOO_LATE and now - self._told >= _QUIET:
            self._told = now
            log.warning("the event loop was held up for %.1f s: everything waited", lag)
