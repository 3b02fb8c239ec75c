"""Work of channels that are not on: it is kept until they are, and somebody should know."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Protocol

from parley.core.model.errors import StoreUnavailable
from parley.core.model.queues import channel_of_queue
from parley.core.ports.health import WAITING, Health, HealthReport
from parley.core.ports.journal import log_store_failure
from parley.core.ports.store_admin import QueueBacklog

log = logging.getLogger("parley.app")

_EVERY = 60.0
_LONG = 30.0
"""Seconds for which work must have been waiting: another node may have the channel, and do it."""


class _Backlog(Protocol):
    async def backlog(self) -> Mapping[str, QueueBacklog]: ...


class WaitingWork:
    """Looks for it every minute, and says it once for each channel. `channels` are those that are on."""

    def __init__(
        self, store: _Backlog, channels: Callable[[], Container[str]], clock: Callable[[], float]
    ) -> None:
        self._store, self._channels, self._clock = store, channels, clock
        self._found: Mapping[str, int] = {}
        self._said: set[str] = set()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                await self.look()
            except StoreUnavailable as error:
                log_store_failure(log.info, "what waits for channels that are not on is not seen: %s", error)
            await asyncio.sleep(_EVERY)

    async def look(self) -> None:
        """Look now. Raises StoreUnavailable."""
        backlog = (await self._store.backlog()).items()
        found = [(queue, each.lanes) for queue, each in backlog if each.oldest >= _LONG]
        self._found = count_waiting(found, self._channels())
        for channel in sorted(self._found.keys() - self._said):
            log.warning("%s", describe_waiting({channel: self._found[channel]}))
        self._said = set(self._found)

    def reports(self) -> tuple[HealthReport, ...]:
        """Return one about all of it, none where there is nothing."""
        if not self._found:
            return ()
        return (HealthReport(WAITING, Health.OFF, describe_waiting(self._found), self._clock()),)


def count_waiting(queues: Iterable[tuple[str, int]], channels: Container[str]) -> Mapping[str, int]:
    """Return how much waits for each channel that is not among those that are on."""
    found: Counter[str] = Counter()
    for queue, count in queues:
        channel = channel_of_queue(queue)
        if channel and channel not in channels:
            found[channel] += count
    return found


def describe_waiting(found: Mapping[str, int]) -> str:
    """Return what waits, and for which channels, in words."""
    names = ", ".join(f"{name} ({count})" for name, count in sorted(found.items()))
    return (
        f"work of channels that are not on waits until they are: {names}; "
        "their sections of config.yaml are missing or off, or have another name"
    )
