"""What this process and its queues have to do, read when somebody asks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from parley.core.model.queues import LEARNING, turn_queue
from parley.core.ports.health import SystemLoad
from parley.core.ports.store_admin import QueueBacklog
from parley.store.interface import Store


class SystemLoadReader:
    """Reads the queues; of turns under way and of the store's latency it is told."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns: Callable[[], int] = int
        self._latency = math.nan

    def watch_turns(self, turns: Callable[[], int]) -> None:
        """Ask this for the number of turns under way from now on."""
        self._turns = turns

    def note_latency(self, seconds: float) -> None:
        """Note how long the store took for a synced write."""
        self._latency = seconds

    async def read(self) -> SystemLoad:
        """Return the load of now. Raises StoreUnavailable."""
        found = await self._store.backlog()
        turns = _sum({name: each for name, each in found.items() if name.startswith(turn_queue(""))})
        learning = _sum({name: each for name, each in found.items() if name == LEARNING})
        return SystemLoad(
            self._turns(), turns.lanes, turns.oldest, learning.lanes, learning.oldest, self._latency
        )


def _sum(found: Mapping[str, QueueBacklog]) -> QueueBacklog:
    lanes = sum(each.lanes for each in found.values())
    return QueueBacklog(lanes, max((each.oldest for each in found.values()), default=0.0))
