"""Questions and answers whose buttons were pressed, while DingTalk waits for our answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LONGEST = 2.0
"""Seconds for which DingTalk waits for the answer to a press."""
AFTER_PRESS = 0.5
"""Seconds between the answer to a press and a change of its card: they go different ways."""


class UnansweredPresses:
    """The presses in hand, by question, or by the turn of an answer."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._changed = asyncio.Event()

    @contextmanager
    def answering(self, question: str) -> Iterator[None]:
        """Have a press of this question or answer in hand while entered."""
        self._open[question] += 1
        try:
            yield
        finally:
            self._open[question] -= 1
            if self._open[question] <= 0:
                del self._open[question]
            self._changed.set()

    async def wait_answered(self, question: str) -> None:
        """Return once no press of it is in hand, or its person was told that it failed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST):
                while self._open[question] > 0:
                    self._changed.clear()
                    await self._changed.wait()
