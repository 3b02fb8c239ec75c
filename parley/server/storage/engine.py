"""Opens the engine that the server is told to use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from parley.server.storage.interface import Storage
from parley.server.storage.sqlite.checkpoints import SqliteCheckpoints
from parley.server.storage.sqlite.database import ERRORS, open_database
from parley.server.storage.sqlite.items import SqliteItems
from parley.server.storage.store_index import StoreIndex


def storage_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of a database that fails, or is away."""
    return ERRORS


@asynccontextmanager
async def open_storage(place: Path, make_index: Callable[[], StoreIndex | None]) -> AsyncIterator[Storage]:
    """Open or create the server's storage. Raises ConfigError."""
    async with open_database(place) as database:
        checkpoints = SqliteCheckpoints(database)
        await checkpoints.setup()
        index = make_index()
        try:
            items = SqliteItems(database, index)
            await items.setup()
            yield Storage(database, checkpoints, items)
        finally:
            if index is not None:
                index.close()
