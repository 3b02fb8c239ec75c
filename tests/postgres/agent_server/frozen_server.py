"""A server that stands still in the middle of a transaction, as a machine may that is paused."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from parley.server.storage.interface import PostgresPlace
from parley.server.storage.postgres.database import PostgresDatabase
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index

REFUSED = 3
"""How it ends when what it had begun is refused after it woke up."""


async def freeze(place: PostgresPlace, lock: str) -> int:
    """Take a lock, begin to write, and stop; woken up, try to end what was begun."""
    async with open_postgres(place, no_index) as storage:
        database, cluster = storage.database, storage.cluster
        assert isinstance(database, PostgresDatabase)
        assert cluster is not None
        assert await cluster.acquire(lock)
        try:
            async with database.fenced() as cursor:
                await cursor.execute("UPDATE locks SET name = name WHERE name = %s RETURNING 1", (lock,))
                assert await cursor.fetchone()
                os.kill(os.getpid(), signal.SIGSTOP)
        except database.errors:
            return REFUSED
    return 0


if __name__ == "__main__":
    _, url, schema, lease, name = sys.argv
    sys.exit(asyncio.run(freeze(PostgresPlace(url, schema, float(lease)), name)))
