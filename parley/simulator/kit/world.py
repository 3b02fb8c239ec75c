"""The state of a simulated platform: one lock, and who is told of changes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable


class World:
    """What a platform keeps, behind one lock. It lives as long as the simulator, whatever happens to a bot.

    `changed` is that lock, and is notified whenever something moved.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._listeners: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener`, from whatever thread, after each change."""
        self._listeners.append(listener)

    def touch(self) -> None:
        """Say that something changed; the lock is held."""
        self.changed.notify_all()
        for listener in self._listeners:
            listener()

    def change_event(self) -> asyncio.Event:
        """Return an event of the running loop that is set after each change."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            # The loop may be closed already when a test looks at a simulator that it has stopped.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)

        self.subscribe(wake)
        return event


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Return once the event is set, or after so many seconds.

    `wait_for` of Python 3.11 would forget that it was cancelled when the event is set at that instant.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
