"""Care with runs that were cut off again and again: one of them may be what brings the process down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_TRUSTED = 3


class Probation:
    """Lets suspects wait, and then begin one after another; everybody else never waits.

    A run is suspect from its fourth attempt on. It then has its first `seconds` to itself, so that a deadly
    one spends its own attempts only; who lives that long, or is done sooner, makes room for the next.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._turn = asyncio.Semaphore(1)

    @asynccontextmanager
    async def attempt(self, number: int) -> AsyncIterator[None]:
        """Make attempt `number` (from 1) of a run inside."""
        if number <= _TRUSTED:
            yield
            return
        await self._turn.acquire()
        timer = asyncio.get_running_loop().call_later(self._seconds, self._turn.release)
        try:
            yield
        finally:
            if asyncio.get_running_loop().time() < timer.when():
                timer.cancel()
                self._turn.release()
