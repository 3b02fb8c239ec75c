"""Letting our threads run while the event loop never rests.

A loop that always has something ready gives the interpreter lock away and takes it back before another
thread wakes: measured, a thread then waits for seconds, whatever the switch interval. So while work is
out with a thread and nothing comes back, the loop stands still for a moment now and then.
"""

from __future__ import annotations

import asyncio
import threading

PATIENCE = 0.005
"""Seconds without anything coming back before the loop stands still. A loop that rests never gets here."""

MOMENT = 0.002
"""Seconds that it stands still at most."""


class GilYielder:
    """Counts work that is out with threads. `out` and `back` belong to the loop, `finished` to threads."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._finished = threading.Event()
        self._out = 0
        self._moved = False
        self._watching = False

    def out(self) -> None:
        """Count a piece of work that goes to a thread."""
        self._out += 1
        if not self._watching:
            self._watching = True
            self._moved = False
            self._loop.call_later(PATIENCE, self._look)

    def back(self, pieces: int = 1) -> None:
        """Count pieces of work that came back."""
        self._out -= pieces
        self._moved = True

    def finished(self) -> None:
        """Note that the thread has handed its work back."""
        self._finished.set()

    def _look(self) -> None:
        if not self._out:
            self._watching = False
            return
        if not self._moved:
            self._finished.clear()
            self._finished.wait(MOMENT)
        self._moved = False
        self._loop.call_later(PATIENCE, self._look)
