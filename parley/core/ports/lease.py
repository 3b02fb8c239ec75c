"""Fencing: a node that may have lost what it held does nothing more in the outside world.

The store refuses what such a node writes. A platform and an agent server do not know of nodes, so whoever
calls one looks here first, by this machine's own clock.
"""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from parley.core.model.errors import LaneLost

_MARGIN = 0.2
"""The part of a lease in which nothing is begun any more: what was begun has so long to arrive."""

_LOOK = 1.0
"""Seconds between looks at the clock, which may have gone on while timers slept with the machine."""

Ending = Callable[[], None]
"""Ends something that was under way when a lease lapsed."""


def uptime() -> float:
    """Return seconds by a clock that nobody sets, and that goes on while process or machine sleep."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class LeaseToken:
    """For how long a node knows that what it holds is its own: `seconds` from each proof.

    Once it has lapsed it never comes back: somebody else may have had it in between. `id` is its own.
    """

    def __init__(self, seconds: float, proved: float, clock: Callable[[], float] = uptime) -> None:
        """`proved` is when, by `clock`, the proof was asked for: the lease cannot have begun before."""
        self._seconds = seconds
        self._clock = clock
        self._until = proved + seconds
        self._endings: dict[object, Ending] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.id = secrets.token_hex(4)

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

    def call_at_end(self, end: Ending) -> Ending:
        """Have `end` called once it lapses; returns what takes that back."""
        key = object()
        self._endings[key] = end
        self._set_timer()

        def forget() -> None:
            self._endings.pop(key, None)

        return forget

    def _set_timer(self) -> None:
        if self._timer is None and self._endings:
            pause = min(_LOOK, max(0.0, self.left))
            self._timer = asyncio.get_running_loop().call_later(pause, self._look)

    def _look(self) -> None:
        self._timer = None
        if self.left <= 0:
            endings, self._endings = self._endings, {}
            for end in endings.values():
                end()
        self._set_timer()


class _Forever(LeaseToken):
    """Of who shares with nobody."""

    def call_at_end(self, end: Ending) -> Ending:
        """Do nothing: it has no end."""
        return lambda: None

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


def call_at_lease_end(end: Ending) -> Ending:
    """Have `end` called once the lease of the running task lapses; returns what takes that back."""
    return _tenure.get().call_at_end(end)


@asynccontextmanager
async def within_lease(tenure: LeaseToken) -> AsyncIterator[None]:
    """Hold `tenure` for what is done inside; when it lapses, that is cancelled, and LaneLost raised."""
    task, ended = asyncio.current_task(), False

    def end() -> None:
        nonlocal ended
        ended = True
        if task is not None:
            task.cancel()

    forget = tenure.call_at_end(end)
    try:
        with holding_lease(tenure):
            yield
    except asyncio.CancelledError:
        if ended and task is not None and task.uncancel() == 0:
            raise LaneLost("this node's lease ended") from None
        raise
    finally:
        forget()
