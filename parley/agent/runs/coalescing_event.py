"""A bell that rings seldom enough."""

from __future__ import annotations

import asyncio


class CoalescingEvent:
    """Wakes one waiting task soon after something changed, and at most once per `interval` seconds.

    `beats` counts the changes.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._bell = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._quiet_until = 0.0
        self.beats = 0

    def beat(self) -> None:
        """Something changed: wake the task now, or when its rest is over."""
        self.beats += 1
        if self._timer is not None or self._bell.is_set():
            return
        rest = self._quiet_until - self._loop.time()
        if rest > 0:
            self._timer = self._loop.call_later(rest, self.wake)
        else:
            self._bell.set()

    def wake(self) -> None:
        """Wake the task now."""
        self.stop()
        self._bell.set()

    def stop(self) -> None:
        """Let no timer ring any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def wait(self) -> None:
        """Return at the next waking."""
        await self._bell.wait()
        self._bell.clear()

    def rest(self) -> None:
        """Let the next beats wait for an interval from now."""
        self._quiet_until = self._loop.time() + self._interval
