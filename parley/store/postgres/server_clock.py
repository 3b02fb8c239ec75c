"""The server's clock, known on a node: all nodes of a store go by it."""

from __future__ import annotations

import time
from collections.abc import Callable

from parley.core.ports.lease import uptime


class ServerClock:
    """Tells the server's time between readings, by `clock`, which nobody sets.

    An answer says what the time was at some moment between question and answer: what was believed before
    stays where that allows it, so that a slow answer makes nothing worse.
    """

    def __init__(self, clock: Callable[[], float] = uptime, own: Callable[[], float] = time.time) -> None:
        """Go by the machine's `own` time until there is a reading."""
        self._clock = clock
        self._ahead = own() - clock()
        self._known = False

    def take_reading(self, asked: float, told: float) -> None:
        """Take the Unix seconds that the server told; it was asked at `asked`, by this clock."""
        least, most = told - self._clock(), told - asked
        believed = self._ahead if self._known else (least + most) / 2
        self._known = True
        self._ahead = min(max(believed, least), most)

    def now(self) -> float:
        """Return Unix seconds by the server's clock."""
        return self._clock() + self._ahead
