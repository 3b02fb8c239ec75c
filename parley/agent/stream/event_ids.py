"""The ids of a stream's events: where to join it again, and what was heard already (pure)."""

from __future__ import annotations

from collections import deque

FROM_START = "-1"
"""As a last event id: every event is newer."""

_RECENT = 512


class EventIds:
    """Remembers the ids of one run's events; `last` is the newest."""

    def __init__(self) -> None:
        self.last = ""
        self._repeat = False
        self._recent: deque[str] = deque(maxlen=_RECENT)
        self._replayed: frozenset[str] = frozenset()

    def is_new(self, event_id: str) -> bool:
        """Take note of an event; False where it was heard before the stream was joined again."""
        if event_id in self._replayed:
            return False
        if event_id == self.last:
            self._repeat = True
        self.last = event_id
        self._recent.append(event_id)
        return True

    def rejoin(self) -> bool:
        """Prepare to join the stream again after `last`; False where only all of it can be heard again.

        Where a server's ids repeat (the official one's are milliseconds), nothing can be resumed exactly.
        """
        if not self.last or self._repeat:
            self._replayed = frozenset()
            self._recent.clear()
            return False
        self._replayed = frozenset(self._recent)
        return True
