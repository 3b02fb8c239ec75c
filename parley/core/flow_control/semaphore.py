"""A bound on how much is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class CountingSemaphore:
    """At most `size` are taken at once."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._some = asyncio.Event()
        self._some.set()

    @property
    def full(self) -> bool:
        """Return whether none is free."""
        return not self._free

    async def acquire(self, most: int) -> int:
        """Take up to `most`, as soon as one is free; returns how many."""
        while not self._free:
            self._some.clear()
            await self._some.wait()
        taken = min(self._free, most)
        self._free -= taken
        return taken

    def release(self, number: int = 1) -> None:
        """Free what was taken."""
        self._free += number
        self._some.set()

    def releaser(self) -> Callable[[], None]:
        """Return what gives one back, once, however often it is called."""
        held = True

        def give_back() -> None:
            nonlocal held
            if held:
                held = False
                self.release()

        return give_back
