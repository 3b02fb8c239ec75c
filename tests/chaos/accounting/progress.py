"""What was said, what is known to be answered, and who waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable


class Stalled(AssertionError):
    """Nothing more was answered for too long."""


class ProgressBoard:
    """Ids of messages with the times when each was said and first seen answered. Lives on one loop.

    Whoever waits gives up after `patience` seconds in which nothing at all was answered.
    """

    def __init__(self, patience: float) -> None:
        self.said: dict[str, float] = {}
        self.answered: dict[str, float] = {}
        self._patience = patience
        self._changed = asyncio.Event()

    def say(self, name: str) -> None:
        """This is said now."""
        self.said[name] = time.monotonic()

    def mark(self, names: Iterable[str]) -> None:
        """These are answered."""
        fresh = set(names) - self.answered.keys()
        if fresh:
            self.answered.update(dict.fromkeys(fresh, time.monotonic()))
            self.wake()

    def wake(self) -> None:
        """Have everybody who waits look once more."""
        self._changed.set()
        self._changed = asyncio.Event()

    def waits(self) -> list[float]:
        """How long each answer took, in seconds, shortest first."""
        known = self.answered
        return sorted(known[name] - at for name, at in self.said.items() if name in known)

    async def until(self, true: Callable[[], object]) -> None:
        """Return when `true` holds, looking after each change. Raises Stalled."""
        while not true():
            try:
                async with asyncio.timeout(self._patience):
                    await self._changed.wait()
            except TimeoutError as error:
                raise Stalled(f"{len(self.answered)} answered, then nothing more") from error

    async def until_answers(self, count: int) -> None:
        """Return when so many are answered. Raises Stalled."""
        await self.until(lambda: len(self.answered) >= count)
