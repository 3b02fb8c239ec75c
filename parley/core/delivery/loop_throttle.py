"""A turnstile: work that takes a while on the event loop begins a little at a time, so that the loop never
goes long without looking up."""

from __future__ import annotations

import asyncio
import math
from collections import deque


class LoopThrottle:
    """Lets `most` through in each pass of the event loop, in the order in which they came.

    Answers come in bursts: hundreds of them are shown anew in one moment. Each takes a millisecond or two
    of drawing before anything is on its way; one after the other, they would keep everything else waiting.
    """

    def __init__(self, most: float = 4) -> None:
        self._most = most
        self._passed = 0
        self._turning = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait_turn(self) -> None:
        """Return once it is our turn."""
        if self._passed < self._most and not self._waiting:
            self._passed += 1
            self._turn()
            return
        loop = asyncio.get_running_loop()
        ours: asyncio.Future[None] = loop.create_future()
        self._waiting.append(ours)
        self._turn()
        await ours

    def _turn(self) -> None:
        if not self._turning:
            self._turning = True
            asyncio.get_running_loop().call_soon(self._next_pass)

    def _next_pass(self) -> None:
        self._passed, self._turning = 0, False
        while self._waiting and self._passed < self._most:
            ours = self._waiting.popleft()
            if not ours.done():  # who waited may be gone
                ours.set_result(None)
                self._passed += 1
        if self._passed:
            self._turn()


UNTHROTTLED = LoopThrottle(math.inf)
"""Lets everybody through."""
