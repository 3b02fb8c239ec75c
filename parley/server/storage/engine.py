"""Opens the engine that the server is told to use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from parley.server.storage.interface import PostgresPlace, Storage
from parley.server.storage.sqlite.checkpoints import SqliteCheckpoints
from parley.server.storage.sqlite.database import ERRORS, open_database
from parley.server.storage.sqlite.items import SqliteItems
from parley.server.storage.store_index import NO_VECTORS, StoreIndex, takes_vectors, usable_index


def storage_errors(postgres: PostgresPlace | None) -> tuple[type[Exception], ...]:
    """Return the exceptions of a database that fails, or is away."""
    if postgres is None:
        return ERRORS
    # Its driver and LangGraph's package for it are an extra, and take some memory.
    from parley.server.storage.postgres.database import ERRORS as POSTGRES_ERRORS

    return POSTGRES_ERRORS


@asynccontextmanager
async def open_storage(
    path: Path, postgres: PostgresPlace | None, make_index: Callable[[], StoreIndex | None]
) -> AsyncIterator[Storage]:
    """Open or create the schema where one is given, else the file. Raises ConfigError."""
    if postgres is not None:
        from parley.server.storage.postgres.engine import open_postgres

        async with open_postgres(postgres, make_index) as storage:
            yield storage
        return
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(path))
        checkpoints = SqliteCheckpoints(database)
        await checkpoints.setup()
        index = usable_index(make_index(), "" if takes_vectors() else NO_VECTORS)
        if index is not None:
            stack.callback(index.close)
        items = SqliteItems(database, index)
        stack.push_async_callback(items.close)
        await items.setup()
        yield Storage(database, checkpoints, items)
