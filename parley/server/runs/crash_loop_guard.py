"""Care with runs that were cut off again and again: one of them may be what brings the process down."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_TRUSTED = 3
_RIPE = 16.0  # seconds; where a process dies every eight, one life in seven still lasts that long


class CrashLoopGuard:
    """Lets suspects wait, and then begin one after another; everybody else never waits.

    A run is suspect from its fourth attempt on. It then has its first `seconds` to itself, so that a deadly
    one spends its own attempts only; who lives that long, or is done sooner, makes room for the next.

    The fifth attempt begins when the process is `settling` seconds old, each further one at twice that age,
    up to sixteen seconds: a deadly run leaves ever more time to the others between two crashes, and a
    harmless one that others brought down is not tried again and again while the crashes are thick.
    """

    def __init__(
        self, seconds: float, settling: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._settling = settling
        self._clock = clock
        self._born = clock()
        self._turn = asyncio.Semaphore(1)

    @asynccontextmanager
    async def attempt(self, number: int) -> AsyncIterator[None]:
        """Make attempt `number` (from 1) of a run inside."""
        if number <= _TRUSTED:
            yield
            return
        young = self._born + min_process_age(number, self._settling) - self._clock()
        if young > 0:
            await asyncio.sleep(young)
        await self._turn.acquire()
        timer = asyncio.get_running_loop().call_later(self._seconds, self._turn.release)
        try:
            yield
        finally:
            if asyncio.get_running_loop().time() < timer.when():
                timer.cancel()
                self._turn.release()


def min_process_age(number: int, settling: float) -> float:
    """How old the process must be, in seconds, for attempt `number` to begin."""
    doubled = number - _TRUSTED - 2
    return min(settling * 2**doubled, _RIPE) if doubled >= 0 else 0.0
