"""A connection that hears nothing, or is lost alone, is told of; one that hears is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from psycopg import sql

from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres.database.connection import parse_location
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.notifications.listener import listen
from parley.store.postgres.notifications.notifier import PostgresNotifier
from parley.store.queue_events import QueueEvents
from tests.kit.machine import patience
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


class Gate:
    """Where one waits until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self._open = asyncio.Event(), asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await self._open.wait()

    def let_go(self) -> None:
        self._open.set()


class CountedNotifier(PostgresNotifier):
    """Counts calls and connections; while it `drops` notices, it is as behind a pooler.

    The next call waits, where there is one, at the gate `before` it or `after` it.
    """

    calls = 0
    connections = 0
    drops = False
    before: Gate | None = None
    after: Gate | None = None

    async def call_itself(self) -> int:
        self.calls += 1
        if gate := self.before:
            await gate.wait()
        session = await super().call_itself()
        if gate := self.after:
            await gate.wait()
        return session

    def take(self, notice: str) -> None:
        if not self.drops:
            super().take(notice)

    def on_gap(self) -> None:
        self.connections += 1
        super().on_gap()


@asynccontextmanager
async def hearing(cluster: Cluster, schema: str, listen_url: str = "") -> AsyncIterator[CountedNotifier]:
    where = parse_location(cluster.url, schema)
    ears = parse_location(listen_url or cluster.url, schema)
    writer = Batcher(where, 10.0)
    news = CountedNotifier(writer, schema, QueueEvents())
    task = asyncio.create_task(listen(ears, news, {schema: news.take}, asyncio.Event(), check_every=0.3))
    try:
        yield news
    finally:
        task.cancel()
        await asyncio.wait([task])
        await writer.close(10.0)


def said_by(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what is said of hearing; who writes says that the store is away, and that it is back."""
    said = [record.getMessage() for record in caplog.records if record.name == "parley.store"]
    return [line for line in said if not line.startswith("the store is")]


async def end_session(cluster: Cluster, user: str = "postgres") -> None:
    """End the sessions that listen, and no others."""
    async with await psycopg.AsyncConnection.connect(cluster.url, autocommit=True) as admin:
        await admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s AND query ~ '^LISTEN'",
            (user,),
        )


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


@pytest.mark.parametrize("failed", [0, 1, 2])
async def test_an_outage_that_ends_while_the_listener_asks_is_not_told_by_it(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture, failed: int
) -> None:
    """So many times it learns that all is away; then the database is back between its loss and its asking."""
    async with hearing(cluster, schema) as news:
        await until(lambda: news.connections == 1, "it listens")
        gate = Gate()
        cluster.stop("immediate")
        try:
            begun = news.calls
            await until(lambda: news.calls >= begun + failed, "it has found that all is away")
            news.before = gate
            await asyncio.wait_for(gate.reached.wait(), patience(20.0))
        finally:
            cluster.start()
        news.before = None
        gate.let_go()
        await until(lambda: news.connections >= 2, "it listens again")
        assert not news.deaf
    assert said_by(caplog) == []


async def test_an_outage_between_two_answers_is_not_told_by_the_listener(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Its own end was first, and the database answered then; an attempt in the outage proves nothing."""
    async with hearing(cluster, schema) as news:
        await until(lambda: news.connections == 1, "it listens")
        answered, asking = Gate(), Gate()
        news.after = answered
        await end_session(cluster)
        await asyncio.wait_for(answered.reached.wait(), patience(20.0))
        cluster.stop("immediate")
        try:
            news.before, news.after = asking, None
            answered.let_go()
            await asyncio.wait_for(asking.reached.wait(), patience(20.0))
        finally:
            cluster.start()
        news.before = None
        asking.let_go()
        await until(lambda: news.connections >= 2, "it listens again")
        assert not news.deaf
    assert said_by(caplog) == []


async def test_a_listener_that_is_lost_alone_is_told_once_and_shown_until_it_hears(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    user = f"ears_{schema}"
    async with await psycopg.AsyncConnection.connect(cluster.url, autocommit=True) as admin:
        await admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(sql.Identifier(user)))
        async with hearing(cluster, schema, cluster.url_of(user, "x", "parley")) as news:
            await until(lambda: news.connections == 1, "it listens")
            await admin.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(sql.Identifier(user)))
            await end_session(cluster, user)
            await until(lambda: news.deaf, "it is noticed")
            tried = news.calls
            await until(lambda: news.calls >= tried + 3, "it is tried again and again")
            (line,) = said_by(caplog)
            assert "Other nodes are not heard until it is back" in line
            await admin.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(user)))
            await until(lambda: not news.deaf, "it hears again")
    assert [each for each in said_by(caplog) if "arrive again" in each] == said_by(caplog)[1:]
