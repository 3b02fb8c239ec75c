"""A request to stop: for good, or to be started again with other settings."""

from __future__ import annotations

import asyncio


class StopRequest:
    """`event` is what a Parley runs until; `ended` says that it is to stop for good."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.ended = False
        self._again = False

    def end(self) -> None:
        """Stop for good."""
        self.ended = True
        self.event.set()

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
