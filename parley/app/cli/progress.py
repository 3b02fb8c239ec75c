"""How far something slow is."""

from __future__ import annotations

from collections.abc import Callable

_EVERY = 2.0
"""Seconds between two lines about how far it is."""


class Progress:
    """A line now and then, however fast it goes; `shown` writes a number."""

    def __init__(
        self,
        clock: Callable[[], float],
        say: Callable[[str], None],
        shown: Callable[[int], str] = "{:,}".format,
    ) -> None:
        self._clock = clock
        self._say = say
        self._shown = shown
        self._next = clock() + _EVERY

    def __call__(self, what: str, done: int, total: int) -> None:
        """So much of it is done, of so much."""
        if self._clock() >= self._next:
            self._next = self._clock() + _EVERY
            self._say(f"  {what}: {self._shown(done)} of {self._shown(total)}")
