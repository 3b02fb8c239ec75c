"""Through a pooler in transaction mode all works but hearing: then looking finds the work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager

import pytest
from psycopg import sql
from psycopg.pq import PGnotify

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.ports.journal import NewQueueItem
from parley.store.interface import Store
from parley.store.postgres import PostgresStore
from tests.kit.machine import patience
from tests.kit.store.nodes import LEASE, Clock, OpenNode, finish_next
from tests.kit.store.pooler import is_installed, pooled
from tests.unit.store.engine.suite import EngineSuite

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(240),
    pytest.mark.skipif(not is_installed(), reason='needs a pooler: Debian\'s package "pgbouncer"'),
]


@pytest.fixture(scope="module")
def pooler(cluster: Cluster) -> Iterator[str]:
    with pooled(cluster) as url:
        yield url


class TestThroughAPooler(EngineSuite):
    @pytest.fixture
    def open_node(self, pooler: str, schema: str, clock: Clock) -> OpenNode:
        def open_(node: str, database: str) -> AbstractAsyncContextManager[Store]:
            return PostgresStore.open(
                pooler, node=node, schema=f"{schema}_{database}", lease=LEASE, poll=0.05, clock=clock
            )

        return open_


async def test_behind_it_work_is_found_by_looking(pooler: str, schema: str) -> None:
    async with (
        PostgresStore.open(pooler, schema=schema, poll=0.05) as a,
        PostgresStore.open(pooler, schema=schema) as b,
    ):
        waiting = asyncio.create_task(a.wait("in", 3600))
        await b.put(NewQueueItem("in", "x", "1"))
        await waiting
        assert await finish_next(a) == "1"


async def test_with_the_servers_own_address_it_is_heard(cluster: Cluster, pooler: str, schema: str) -> None:
    async with (
        PostgresStore.open(pooler, schema=schema, poll=3600, listen_url=cluster.url) as a,
        PostgresStore.open(pooler, schema=schema) as b,
    ):
        for node in (a, b):
            await node.renew()  # now b knows of a
        waiting = asyncio.create_task(a.wait("in", 3600))
        await asyncio.sleep(0)
        await a.get("k")  # behind the look of whoever waits
        await b.put(NewQueueItem("in", "x", "1"))
        await waiting
        assert await finish_next(a) == "1"


async def test_notices_that_the_pooler_brings_to_the_wrong_connection_do_not_pile_up(
    pooler: str, schema: str
) -> None:
    heard: list[object] = []
    async with PostgresStore.open(pooler, schema=schema) as store:
        await store.get("k")
        connection = store._engine.writer._connection
        assert connection is not None
        arrived = connection.pgconn.notify_handler
        assert arrived is not None

        def hear(notice: PGnotify) -> None:
            heard.append(notice)
            arrived(notice)

        connection.pgconn.notify_handler = hear
        listening = sql.SQL("LISTEN {}").format(sql.Identifier(schema))
        async with asyncio.timeout(patience(30)):
            while len(heard) < 20:
                # Which of its connections the pooler takes is up to it; that one listens from here on.
                await connection.execute(listening)
                await store.news.publish("topic", "hello")
        assert not connection._notifies_backlog
