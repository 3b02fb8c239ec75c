"""The floor under durable accepts on PostgreSQL: what has come is inserted and committed at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

_Job = tuple[str, "asyncio.Future[None]"]
_BATCH = 500


class GroupInsert:
    """One table, one row a message; nothing is deduplicated, ordered or claimed."""

    def __init__(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        self._connection = connection
        self._jobs: asyncio.Queue[_Job] = asyncio.Queue()

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str) -> AsyncIterator[GroupInsert]:
        """In the database at `url`, which gets a table of its own."""
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute("DROP TABLE IF EXISTS messages")
            await connection.execute(
                "CREATE TABLE messages (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)"
            )
            made = cls(connection)
            serving = asyncio.create_task(made._serve())
            try:
                yield made
            finally:
                serving.cancel()
                await asyncio.wait([serving])

    async def put(self, body: str) -> None:
        """Durable on return."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait((body, future))
        await future

    async def _serve(self) -> None:
        while True:
            batch = [await self._jobs.get()]
            while len(batch) < _BATCH and not self._jobs.empty():
                batch.append(self._jobs.get_nowait())
            bodies = [body for body, _ in batch]
            await self._connection.execute("INSERT INTO messages (body) SELECT unnest(%s::text[])", (bodies,))
            for _, future in batch:
                future.set_result(None)
