"""The port over which it is told that a person's memory changed, to whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

ANYBODY = ""
"""In place of a person: somebody's memory may have changed without being told."""


class MemoryChanges(Protocol):
    """Where to hear of changes, those of other nodes too."""

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the person whose memory changed, or `ANYBODY`, from now on."""
        ...


class NoMemoryChanges:
    """Nobody's memory changes."""

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Nothing will be told."""


NO_MEMORY_CHANGES: MemoryChanges = NoMemoryChanges()
