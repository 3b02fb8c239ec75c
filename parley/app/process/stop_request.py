"""A request to stop: for good, or to be started again with other settings."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from time import monotonic

_CLOSING = 3.0
"""Seconds for giving lanes back and closing the store, which is not waited for if it does not answer."""


def count_down(grace: float, clock: Callable[[], float] = monotonic) -> Callable[[], float]:
    """Return what tells how long work may still take, so that closing is over within `grace`, too."""
    end = clock() + grace - min(_CLOSING, grace * 0.6)
    return lambda: max(0.0, end - clock())


class StopRequest:
    """`event` is what a Parley runs until; `ended` says that it is to stop for good."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._asked = math.inf
        self.event = asyncio.Event()
        self.ended = False
        self._again = False

    def end(self) -> None:
        """Stop for good."""
        self._asked = min(self._asked, self._clock())
        self.ended = True
        self.event.set()

    @property
    def age(self) -> float:
        """Return seconds since it was asked to stop for good."""
        return self._clock() - self._asked

    def restart(self) -> None:
        """Stop, and be started again."""
        self._again = True
        self.event.set()

    def renew(self) -> bool:
        """Return whether to start again, and forget that this was asked."""
        again = self._again and not self.ended
        if again:
            self.event, self._again = asyncio.Event(), False
        return again
