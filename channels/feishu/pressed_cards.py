"""Cards that somebody has just pressed: whatever changes them before the press is answered is undone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from parley.channels.kit.lru import LruCache

ANSWER_TIME = 3.0
"""Seconds that Feishu waits for the answer to a press."""
AFTER_ANSWER = 0.5
"""Seconds from our answer until a change is safe: it goes another way than the answer does."""
_MOST = 2000
_LOOK = 0.1


class PressedCards:
    """Which messages are pressed now, as far as this process knows. `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: LruCache[float] = LruCache(_MOST)

    def press(self, message: str) -> None:
        """Note that a press of the message waits for its answer."""
        self._until.put(message, self._clock() + ANSWER_TIME)

    def answer(self, message: str) -> None:
        """Note that the press is being answered."""
        self._until.put(message, self._clock() + AFTER_ANSWER)

    def left(self, message: str) -> float:
        """Return the seconds for which the message should not be changed."""
        return max(0.0, (self._until.get(message) or 0.0) - self._clock())

    async def wait(self, message: str) -> None:
        """Return when the message may be changed."""
        left = self.left(message)
        if left:
            # It may be answered, or pressed again, meanwhile.
            await asyncio.sleep(min(left, _LOOK))
            await self.wait(message)
