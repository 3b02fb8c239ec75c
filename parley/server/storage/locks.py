"""Doing something while no other server does it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from parley.server.storage.interface import Cluster

_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.1


@asynccontextmanager
async def cluster_lock(cluster: Cluster, name: str) -> AsyncIterator[None]:
    """Hold a lock of all servers. Raises one of the database's errors where it cannot be had."""
    pause = _FIRST_PAUSE
    try:
        # Who is cancelled here may have got it all the same.
        while not await cluster.acquire(name):
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        yield
    finally:
        with suppress(*cluster.errors):  # what was done meanwhile is done, and the lock is let go later
            await cluster.release(name)


@dataclass(slots=True)
class Mutex:
    """What one task of one server does at a time."""

    name: str
    cluster: Cluster | None
    _here: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Do something alone. Raises one of the database's errors."""
        async with self._here:
            if self.cluster is None:
                yield
                return
            async with cluster_lock(self.cluster, self.name):
                yield
