"""Time that never goes back."""

from __future__ import annotations

import threading
from collections.abc import Callable


class MonotonicClock:
    """`clock` (Unix seconds), but for its steps back, which are made up for: what was due stays due, and what
    waits a second waits one. Any thread may ask.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._newest = 0.0
        self._ahead = 0.0

    def __call__(self) -> float:
        with self._lock:
            return self._at_least(self._newest)

    def advance(self, moment: float) -> None:
        """Let it be no earlier than `moment`: an earlier process was there already."""
        with self._lock:
            self._at_least(moment)

    def _at_least(self, moment: float) -> float:
        now = self._clock() + self._ahead
        if now < moment:
            self._ahead += moment - now
            now = moment
        self._newest = now
        return now
