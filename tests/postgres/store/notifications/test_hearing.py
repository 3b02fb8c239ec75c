"""A connection that hears nothing is noticed, said and opened again; one that hears is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres.database.connection import parse_location
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.notifications.listener import listen
from parley.store.postgres.notifications.notifier import PostgresNotifier
from parley.store.queue_events import QueueEvents
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


class CountedNotifier(PostgresNotifier):
    """Counts calls and connections; while it `drops` notices, it is as behind a pooler."""

    calls = 0
    connections = 0
    drops = False

    async def call_itself(self) -> None:
        self.calls += 1
        await super().call_itself()

    def take(self, notice: str) -> None:
        if not self.drops:
            super().take(notice)

    def on_gap(self) -> None:
        self.connections += 1
        super().on_gap()


@asynccontextmanager
async def hearing(cluster: Cluster, schema: str) -> AsyncIterator[CountedNotifier]:
    where = parse_location(cluster.url, schema)
    writer = Batcher(where, 10.0)
    news = CountedNotifier(writer, schema, QueueEvents())
    task = asyncio.create_task(listen(where, news, {schema: news.take}, asyncio.Event(), check_every=0.3))
    try:
        yield news
    finally:
        task.cancel()
        await asyncio.wait([task])
        await writer.close(10.0)


async def test_a_connection_that_hears_is_left_alone(cluster: Cluster, schema: str) -> None:
    async with hearing(cluster, schema) as news:
        await until(lambda: news.calls >= 4, "it calls itself")
        assert news.connections == 1
        assert not news.deaf


async def test_one_that_hears_nothing_is_said_and_opened_again(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with hearing(cluster, schema) as news:
        news.drops = True
        await until(lambda: news.connections >= 3, "it connects again")
        assert news.deaf
        news.drops = False
        await until(lambda: not news.deaf, "it hears again")
    said = [record.getMessage() for record in caplog.records]
    assert [line for line in said if "do not arrive" in line] == said[:1]
    assert "arrive again" in said[1]
