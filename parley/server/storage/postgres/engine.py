"""Opens a schema of PostgreSQL as the server's storage."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import psycopg

from parley.core.model.errors import ConfigError
from parley.server.storage.interface import PostgresPlace, Storage
from parley.server.storage.postgres.checkpoints import PostgresCheckpoints
from parley.server.storage.postgres.cluster import PostgresCluster
from parley.server.storage.postgres.database import PostgresDatabase, open_pool
from parley.server.storage.postgres.items import AVAILABLE, NO_PGVECTOR, PostgresItems
from parley.server.storage.postgres.schema import making_tables
from parley.server.storage.store_index import StoreIndex, usable_index


@asynccontextmanager
async def open_postgres(
    place: PostgresPlace, make_index: Callable[[], StoreIndex | None]
) -> AsyncIterator[Storage]:
    """Open or create the schema, and be one of the servers on it. Raises ConfigError."""
    async with AsyncExitStack() as stack:
        pool = await stack.enter_async_context(open_pool(place))
        database = PostgresDatabase(pool)
        cluster = PostgresCluster(database, place)
        checkpoints = PostgresCheckpoints(database)
        try:
            lacking = "" if await database.read(AVAILABLE) else NO_PGVECTOR
            index = usable_index(make_index(), lacking)
            if index is not None:
                stack.callback(index.close)
            items = PostgresItems(database, index)
            stack.push_async_callback(items.close)
            async with pool.connection() as connection, making_tables(connection, place.schema):
                await stack.enter_async_context(cluster.living())
                await checkpoints.setup()
                await items.setup()
        except psycopg.Error as error:
            told = " ".join(str(error).split())[:300]
            raise ConfigError(f"agent_server.database: PostgreSQL cannot be used: {told}") from error
        yield Storage(database, checkpoints, items, cluster)
