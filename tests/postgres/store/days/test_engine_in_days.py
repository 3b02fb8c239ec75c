"""The engine suite where today has partitions, and where they end and the next day has none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.store.interface import Store
from parley.store.retention import DAY
from tests.kit.store.nodes import Clock, OpenNode
from tests.unit.store.engine.suite import EngineSuite

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]


@pytest.fixture
def clock() -> Clock:
    """In the first minute of a day, whose names stand among those of the day before, too."""
    return Clock(12 * DAY + 1)


@pytest.fixture
def open_node(open_node: OpenNode, cluster: Cluster, schema: str, clock: Clock) -> OpenNode:
    today = int(clock.now // DAY)
    plain = open_node

    @asynccontextmanager
    async def in_days(node: str, database: str) -> AsyncIterator[Store]:
        async with plain(node, database) as store:
            with psycopg.connect(cluster.url, autocommit=True) as admin:
                make = f"SELECT {schema}_{database}.make_day(kind, %s + n) FROM generate_series(-1, 1) n, "
                make += "unnest('{items,names}'::text[]) kind"
                admin.execute(make.encode(), (today,))
            yield store

    def open_(node: str, database: str) -> AbstractAsyncContextManager[Store]:
        return in_days(node, database)

    return open_


class TestInDays(EngineSuite):
    pass
