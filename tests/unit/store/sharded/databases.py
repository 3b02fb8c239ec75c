"""The databases of a try: files, or databases of a PostgreSQL server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from parley.core.ports.store_admin import ItemState
from parley.store.interface import Store
from parley.store.rows import Row
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.copy_endpoint import open_sqlite_endpoint
from parley.store.store_copy import TABLES, CopyEndpoint, SequenceState
from tests.unit.store.sharded.outbox import OUTBOX
from tests.unit.store.sharded.placement import APART
from tests.unit.store.sharded.sharded_store import ShardedStore

LEASE = 1.0
"""Seconds after which the lanes of a killed process are free on PostgreSQL; a living one renews it."""


def open_database(address: str, lease: float) -> AbstractAsyncContextManager[Store]:
    """One of them, by its URL or its path."""
    if not address.startswith("postgresql://"):
        return SqliteStore.open(address)
    from parley.store.postgres import PostgresStore

    return PostgresStore.open(address, lease=lease, poll=0.05)


def endpoint(address: str) -> AbstractAsyncContextManager[CopyEndpoint]:
    """All rows of one of them, while nobody works on it."""
    if not address.startswith("postgresql://"):
        return open_sqlite_endpoint(Path(address), new=True)
    from parley.store.postgres import open_postgres_endpoint

    return open_postgres_endpoint(address)


async def prepare(addresses: Sequence[str]) -> None:
    """Let ids of items begin far apart, once."""
    for place, address in enumerate(addresses):
        async with endpoint(address) as made:
            await made.finish(SequenceState(item=place * APART, version=0, epoch=0))


@asynccontextmanager
async def open_stores(addresses: Sequence[str], lease: float = 600.0) -> AsyncIterator[tuple[Store, ...]]:
    """All of them."""
    async with AsyncExitStack() as opened:
        yield tuple([await opened.enter_async_context(open_database(each, lease)) for each in addresses])


async def read_rows(address: str) -> dict[str, list[Row]]:
    """What is in one of them, by table."""
    async with endpoint(address) as read:
        return {
            table.name: [tuple(row) async for page in read.rows(table) for row in page] for table in TABLES
        }


async def is_handed_over(sharded: ShardedStore) -> bool:
    """Whether no database has anything left for another."""
    after, more = 0, True
    while more:
        page = await sharded.search(("{",), after=after)
        if any(each.item.queue == OUTBOX and each.fate is ItemState.WAITING for each in page.items):
            return False
        after, more = page.after, page.more
    return True
