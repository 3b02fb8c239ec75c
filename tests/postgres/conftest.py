"""One cluster for the module's tests; each test has a schema of its own in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from itertools import count

import psycopg
import pytest

from benchmarks.kit import postgres_cluster
from benchmarks.kit.postgres_cluster import Cluster
from parley.store.interface import Store
from parley.store.postgres import PostgresStore
from tests.kit.store.nodes import LEASE, Clock, OpenNode
from tests.kit.waiting import until

tests = count()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with postgres_cluster.running() as cluster:
        with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE parley")
        yield cluster


@pytest.fixture
async def no_vacuum(cluster: Cluster) -> AsyncIterator[None]:
    """While it is there the server tidies nothing up by itself: it writes no log, and holds no snapshot."""
    with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:

        def vacuums() -> bool:
            query = "SELECT FROM pg_stat_activity WHERE backend_type LIKE 'autovacuum%'"
            return admin.execute(query).fetchone() is not None

        admin.execute("ALTER SYSTEM SET autovacuum = off")
        admin.execute("SELECT pg_reload_conf()")
        try:
            await until(lambda: not vacuums(), "no vacuum is under way")
            yield
        finally:
            admin.execute("ALTER SYSTEM RESET autovacuum")
            admin.execute("SELECT pg_reload_conf()")


@pytest.fixture
def schema() -> str:
    """A fresh name."""
    return f"test{next(tests)}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_node(cluster: Cluster, schema: str, clock: Clock) -> OpenNode:
    def open_(node: str, database: str) -> AbstractAsyncContextManager[Store]:
        return PostgresStore.open(
            cluster.url, node=node, schema=f"{schema}_{database}", lease=LEASE, poll=0.05, clock=clock
        )

    return open_
