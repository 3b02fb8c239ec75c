"""From a file to a database and back, and from one database to another."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import NewQueueItem
from parley.store.postgres import PostgresStore, open_postgres_endpoint
from parley.store.retention import DAY
from tests.kit.store.nodes import Clock
from tests.unit.store.copy_suite import CopyPromises, Place, contents, file_place, move

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

numbers = count()


def database_place(url: str, clock: Clock) -> Place:
    schema = f"place{next(numbers)}"
    return Place(
        lambda node: PostgresStore.open(url, node=node, schema=schema, clock=clock),
        lambda: open_postgres_endpoint(url, schema=schema),
        lambda: database_place(url, clock),
    )


@pytest.fixture
def clock() -> Clock:
    return Clock(time.time())


@pytest.fixture
def file(tmp_path: Path, clock: Clock) -> Place:
    return file_place(tmp_path, clock)


@pytest.fixture
def database(cluster: Cluster, clock: Clock) -> Place:
    return database_place(cluster.url, clock)


class TestFromFileToDatabase(CopyPromises):
    @pytest.fixture
    def old(self, file: Place) -> Place:
        return file

    @pytest.fixture
    def new(self, database: Place) -> Place:
        return database


class TestFromDatabaseToFile(CopyPromises):
    """In the first minute of a day, whose names stand in two places."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock((time.time() // DAY + 1) * DAY + 1)

    @pytest.fixture
    def old(self, database: Place) -> Place:
        return database

    @pytest.fixture
    def new(self, file: Place) -> Place:
        return file


class TestFromDatabaseToDatabase(CopyPromises):
    @pytest.fixture
    def old(self, database: Place) -> Place:
        return database

    @pytest.fixture
    def new(self, database: Place) -> Place:
        return database.fresh()


async def test_a_killed_nodes_store_can_be_copied_once_its_lease_is_over(
    cluster: Cluster, database: Place, clock: Clock, tmp_path: Path
) -> None:
    async with database.opened("killed") as store:
        await store.put(NewQueueItem("in", "x", "1"))
        await store.claim("in", 1)
        before = await contents_while_held(database)
    assert before == "killed"


async def contents_while_held(place: Place) -> str:
    """The node that a refusal names."""
    with pytest.raises(StoreUnavailable, match=r'in use by the node "(.*)"') as refused:
        await contents(place)
    return str(refused.value).split('"')[1]


async def test_what_a_database_cannot_keep_stops_the_copy(file: Place, database: Place) -> None:
    async with file.opened("a") as store:
        await store.put(NewQueueItem("in", "x", "a\0b"))
    with pytest.raises(StoreUnavailable, match="NUL"):
        await move(file, database)


async def test_whoever_starts_on_it_meanwhile_waits_and_gives_up(cluster: Cluster) -> None:
    async with open_postgres_endpoint(cluster.url, schema="held"):
        with psycopg.connect(cluster.url) as other:
            other.execute("SET lock_timeout = '50ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute("INSERT INTO held.nodes (name, until) VALUES ('late', 1)")
