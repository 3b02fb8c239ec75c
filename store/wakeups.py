"""Who waits for work in which queue, within one process."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Wakeups:
    """Signals by queue. A listener that is registered before it looks never misses what comes after."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def listen(self, queue: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever `queue` is woken; the listener clears it."""
        event = asyncio.Event()
        self._listeners[queue].add(event)
        try:
            yield event
        finally:
            self._listeners[queue].discard(event)

    def wake(self, queues: Iterable[str]) -> None:
        """Set the events of all who listen to `queues`."""
        for queue in queues:
            for event in self._listeners[queue]:
                event.set()

    def wake_all(self) -> None:
        """Set every event."""
        self.wake(tuple(self._listeners))
