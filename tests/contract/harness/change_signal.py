"""Waiting for something to become true, looking each time there is news."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

# Some things, such as closed sockets, change without any news.
_LOOK_ANYWAY = 0.1


class ChangeSignal:
    """A bell that any thread may ring."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._bell = asyncio.Event()

    def tell(self) -> None:
        """Something changed."""
        # A platform may still stir when the loop of its test is over.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._bell.set)

    async def until(self, true: Callable[[], Awaitable[bool]], patience: float, what: str) -> None:
        """Return once `true`. Raises AssertionError, with `what` was waited for, after `patience` seconds."""
        try:
            async with asyncio.timeout(patience):
                while not await true():
                    await self._rung()
        except TimeoutError:
            raise AssertionError(f"waited {patience:g} s in vain: {what}") from None

    async def _rung(self) -> None:
        # Not with `wait_for`: in Python 3.11 it swallows a cancellation that comes together with what it
        # waits for, such as that of our deadline, and where bells ring all the time we would wait for ever.
        anyway = self._loop.call_later(_LOOK_ANYWAY, self._bell.set)
        try:
            await self._bell.wait()
        finally:
            anyway.cancel()
        self._bell.clear()
