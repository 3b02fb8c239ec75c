"""When the store was away: said twice in the log, and known to who begins work after it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from parley.core.model.errors import StoreUnavailable

log = logging.getLogger(__name__)

SETTLING = 1.5
"""Seconds after the last failure in which other nodes may still write down what was said meanwhile."""

_QUIET = 0.5
"""Seconds without a failure after which the store is back."""


class StoreOutage:
    """One outage after the other, by a monotonic `clock`.

    The store tells of each way to it, by name: what failed on it, and that something succeeded.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._failed = float("-inf")
        self._broken: set[str] = set()

    def note_failure(self, way: str, error: StoreUnavailable) -> None:
        """Note a failure; the first of an outage is said. One of a single operation is none of it."""
        if not error.outage:
            return
        self._failed = self._clock()
        self._broken.add(way)
        if self._began is None:
            self._began = self._failed
            log.error("the store is away, work waits for it: %s", error)

    def note_success(self, way: str) -> None:
        """Note that the store was there, and say so once it has been for a moment, on every way."""
        if self._began is None:
            return
        self._broken.discard(way)
        if not self._broken and self._clock() - self._failed >= _QUIET:
            log.warning("the store is back; it was away for %.1f s", self._failed - self._began)
            self._began = None

    @property
    def settles_in(self) -> float:
        """Return the seconds for which messages that have not begun are held after an outage."""
        return max(0.0, self._failed + SETTLING - self._clock())
