"""Tasks that are cancelled in the middle of what they do in the database."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from parley.server.storage.interface import PostgresPlace, Statement
from parley.server.storage.locks import cluster_lock
from parley.server.storage.postgres.completion import complete
from parley.server.storage.postgres.database import PostgresDatabase
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

MAKE = "INSERT INTO streams (run_id, thread_id, row, changed_at) VALUES ('r', 't', '', 0)"
GROW = "UPDATE streams SET row = row || 'x' WHERE run_id = 'r'"
READ = "SELECT row FROM streams WHERE run_id = 'r'"
WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
MOMENTS = 24
"""A transaction waits for the database less often than that."""


@pytest.fixture
async def database(place: PostgresPlace) -> AsyncIterator[PostgresDatabase]:
    # It is not to find out by itself, in the middle of a test, that it counts as dead.
    async with open_postgres(replace(place, lease=3600.0), no_index) as storage:
        assert isinstance(storage.database, PostgresDatabase)
        await storage.database.write(Statement(MAKE, [()]))
        yield storage.database


@pytest.fixture
async def other(place: PostgresPlace) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A connection of somebody else, in a transaction."""
    async with await psycopg.AsyncConnection.connect(place.url) as connection:
        await connection.execute(f"SET search_path TO {place.schema}".encode())
        await connection.commit()
        yield connection


async def waits(place: PostgresPlace, query: str) -> None:
    """Return once somebody waits for a row with such a query."""
    async with await psycopg.AsyncConnection.connect(place.url, autocommit=True) as connection:

        async def found() -> bool:
            return await (await connection.execute(WAITING, (query,))).fetchone() is not None

        await until(found, f"{query} waits")


# What of the driver was cut off finds its connection closed when it is collected, and says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("twice", [False, True])
async def test_who_comes_after_a_cut_off_transaction_finds_what_is_there(
    database: PostgresDatabase, moment: int, *, twice: bool
) -> None:
    async def grow() -> None:
        async with database.fenced() as cursor:
            await cursor.execute(GROW)
            await cursor.execute(GROW)

    task = asyncio.create_task(grow())
    for _ in range(moment):
        await asyncio.sleep(0)
    task.cancel()
    if twice:
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.wait([task])
    found = await asyncio.gather(*(database.read(READ) for _ in range(2)))
    assert [len(rows) for rows in found] == [1, 1]
    del task
    gc.collect()


async def test_a_cancelled_write_is_over_when_it_says_so(
    database: PostgresDatabase, place: PostgresPlace, other: psycopg.AsyncConnection[Any]
) -> None:
    await other.execute("SELECT 1 FROM streams FOR UPDATE")
    task = asyncio.create_task(database.write(Statement(GROW, [()])))
    await waits(place, "UPDATE streams%")
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done(), "it may still be committed"
    await other.commit()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.read(READ) == [("x",)]


async def test_a_database_that_never_answers_holds_up_nobody() -> None:
    task = asyncio.create_task(complete(asyncio.Event().wait(), patience=0.0))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_is_cancelled_while_it_takes_a_lock_does_not_keep_it(
    place: PostgresPlace, other: psycopg.AsyncConnection[Any]
) -> None:
    async with open_postgres(replace(place, lease=3600.0), no_index) as storage:
        assert storage.cluster is not None
        await other.execute("LOCK TABLE locks IN EXCLUSIVE MODE")

        async def take() -> None:
            assert storage.cluster is not None
            async with cluster_lock(storage.cluster, "hold/t"):
                pass

        task = asyncio.create_task(take())
        await waits(place, "INSERT INTO locks%")
        task.cancel()
        await asyncio.sleep(0)
        await other.commit()
        await asyncio.wait([task])
        assert await storage.database.read("SELECT 1 FROM locks WHERE name = 'hold/t'") == []
