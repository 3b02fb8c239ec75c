"""When the store was away: said twice in the log, and known to who begins work after it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

SETTLING = 1.5
"""Seconds after the last failure in which other nodes may still write down what was said meanwhile."""

_QUIET = 0.5
"""Seconds without a failure after which the store is back: others than who succeeded look at it too."""


class StoreOutage:
    """One outage after the other, by a monotonic `clock`: `away` tells of a failure, `back` of a success."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._failed = float("-inf")

    @property
    def is_away(self) -> bool:
        """Return whether the store was not there when it was asked last."""
        return self._began is not None

    def away(self, reason: str) -> None:
        """Note that the store was not there; the first time is said."""
        self._failed = self._clock()
        if self._began is None:
            self._began = self._failed
            log.error("the store is away, work waits for it: %s", reason)

    def back(self) -> None:
        """Note that the store was there, and say so at the end of an outage."""
        if self._began is not None and self._clock() - self._failed >= _QUIET:
            log.warning("the store is back; it was away for %.1f s", self._failed - self._began)
            self._began = None

    @property
    def settles_in(self) -> float:
        """Return the seconds for which messages that have not begun are held after an outage."""
        return max(0.0, self._failed + SETTLING - self._clock())
