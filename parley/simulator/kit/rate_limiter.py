"""Rate limits over sliding windows of time."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable


class RateLimiter:
    """Counts what was done under each key, such as a method or a chat. `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done: dict[str, deque[float]] = {}
        self.refused = 0
        """How many calls were to wait."""

    def wait(self, key: str, *limits: tuple[int, float]) -> int:
        """Count one more and return 0; or return the whole seconds to wait, and count nothing.

        Each limit is how many are allowed within how many seconds.
        """
        now = self._clock()
        done = self._done.setdefault(key, deque(maxlen=max(most for most, _ in limits)))
        waits = [done[-most] + window - now for most, window in limits if len(done) >= most]
        if max(waits, default=0.0) > 0:
            self.refused += 1
            return max(1, math.ceil(max(waits)))
        done.append(now)
        return 0
