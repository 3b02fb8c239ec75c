"""Whole pages in the server's log are compressed where the user may ask for it, and all works elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.ports.journal import Document
from parley.store.diagnosis import StoreProbe
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.diagnosis import probe_postgres

# The log that is counted is the whole server's.
pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120), pytest.mark.usefixtures("no_vacuum")]

DOCUMENTS = 300
BODY = "what somebody said, and what was answered. " * 30
databases = count()


@pytest.fixture
def admin(cluster: Cluster) -> Iterator[psycopg.Connection]:
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def clerk(admin: psycopg.Connection) -> Iterator[str]:
    """A user who is no superuser and may make tables in a database of their own, of the same name."""
    name = f"clerk{next(databases)}"
    admin.execute(f"CREATE USER {name} PASSWORD 'secret'")
    admin.execute(f"CREATE DATABASE {name} OWNER {name}")
    yield name
    admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    if admin.info.server_version >= 150_000:
        admin.execute(f"REVOKE SET ON PARAMETER wal_compression FROM {name}")
    admin.execute(f"DROP USER {name}")


async def logged(store: PostgresStore, admin: psycopg.Connection, name: str = "a") -> int:
    """Bytes of log for one change of each document, the first of its page since a checkpoint."""
    kept = [await store.set(Document(f"{name}/{number}", BODY, 0)) for number in range(DOCUMENTS)]
    admin.execute("CHECKPOINT")
    before = log_end(admin)
    for document in kept:
        await store.set(replace(document, body=f"{document.key} {BODY}"))
    return log_end(admin) - before


def log_end(admin: psycopg.Connection) -> int:
    row = admin.execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8").fetchone()
    assert row
    return int(row[0])


async def test_a_superusers_log_is_much_shorter_than_of_who_may_not(
    cluster: Cluster, schema: str, clerk: str, admin: psycopg.Connection
) -> None:
    async with PostgresStore.open(cluster.url_of(clerk, "secret", clerk)) as store:
        whole = await logged(store, admin)
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        compressed = await logged(store, admin)
    assert compressed < 0.6 * whole


async def test_it_can_be_granted_and_taken_away_while_it_works(
    cluster: Cluster, clerk: str, admin: psycopg.Connection
) -> None:
    if admin.info.server_version < 150_000:
        pytest.skip("before PostgreSQL 15 only superusers may")
    url = cluster.url_of(clerk, "secret", clerk)
    admin.execute(f"GRANT SET ON PARAMETER wal_compression TO {clerk}")
    async with PostgresStore.open(url) as store:
        compressed = await logged(store, admin)
        admin.execute(f"REVOKE SET ON PARAMETER wal_compression FROM {clerk}")
        whole = await logged(store, admin, "b")
    assert compressed < 0.6 * whole


async def test_what_the_server_does_anyway_is_left_as_it_is(
    cluster: Cluster, clerk: str, admin: psycopg.Connection
) -> None:
    admin.execute(f"ALTER DATABASE {clerk} SET wal_compression = on")
    async with PostgresStore.open(cluster.url_of(clerk, "secret", clerk)) as store:
        compressed = await logged(store, admin)
    admin.execute(f"ALTER DATABASE {clerk} RESET wal_compression")
    async with PostgresStore.open(cluster.url_of(clerk, "secret", clerk)) as store:
        assert compressed < 0.6 * await logged(store, admin, "b")


async def test_the_doctor_tells_who_may_not(
    tmp_path: Path, cluster: Cluster, clerk: str, admin: psycopg.Connection
) -> None:
    async def probe() -> StoreProbe:
        return await probe_postgres(cluster.url_of(clerk, "secret", clerk))

    assert not (await probe()).compressed
    admin.execute(f"ALTER DATABASE {clerk} SET wal_compression = on")
    assert (await probe()).compressed
    assert (await probe_postgres(cluster.url_of("postgres", "secret", clerk))).compressed
