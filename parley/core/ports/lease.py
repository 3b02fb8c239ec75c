"""Fencing: a node that may have lost what it held does nothing more in the outside world.

The store refuses what such a node writes. A platform and an agent server do not know of nodes, so whoever
calls one looks here first, by this machine's own clock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from parley.core.model.errors import LaneLost

_MARGIN = 0.2
"""The part of a lease in which nothing is begun any more: what was begun has so long to arrive."""


def uptime() -> float:
    """Return seconds by a clock that nobody sets, and that goes on while process or machine sleep."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class LeaseToken:
    """For how long a node knows that what it holds is its own: `seconds` from each proof.

    Once it has lapsed it never comes back: somebody else may have had it in between.
    """

    def __init__(self, seconds: float, proved: float, clock: Callable[[], float] = uptime) -> None:
        """`proved` is when, by `clock`, the proof was asked for: the lease cannot have begun before."""
        self._seconds = seconds
        self._clock = clock
        self._until = proved + seconds

    @property
    def left(self) -> float:
        """Return seconds until it lapses; 0 or less when it has."""
        return self._until - self._clock()

    def extend(self, proved: float) -> bool:
        """Go on from a newer proof; False where that came too late."""
        if self.left <= 0:
            return False
        self._until = max(self._until, proved + self._seconds)
        return True

    def require(self) -> None:
        """Raise LaneLost when nothing may be begun any more."""
        if self.left <= self._seconds * _MARGIN:
            raise LaneLost("this node cannot prove its lease")


class _Forever(LeaseToken):
    """Of who shares with nobody."""

    def require(self) -> None:
        """Nothing is ever lost."""


PERMANENT_LEASE: LeaseToken = _Forever(math.inf, 0.0)

_tenure: ContextVar[LeaseToken] = ContextVar("tenure", default=PERMANENT_LEASE)


@contextmanager
def holding_lease(tenure: LeaseToken) -> Iterator[None]:
    """Whatever is done inside, also by tasks that begin there, is done for what `tenure` covers."""
    token = _tenure.set(tenure)
    try:
        yield
    finally:
        _tenure.reset(token)


def require_lease() -> None:
    """Call before the outside world is changed. Raises LaneLost."""
    _tenure.get().require()


def lease_expired() -> bool:
    """Return whether the lease is over: what was under way then may be done again by somebody else."""
    return _tenure.get().left <= 0
