"""An outage of the database is told by whoever meets it in the store, in two lines of the log."""

from __future__ import annotations

import asyncio
import logging

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreUnavailable, StoreUnreachable
from parley.core.ports.journal import Document
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.connection import parse_location
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.execution.call_merging import SqlCall
from tests.kit.store.pooler import is_installed, pooled
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    named = [each for each in caplog.records if each.name.startswith("parley")]
    return [each.getMessage() for each in named if each.levelno >= logging.INFO]


async def test_the_batcher_that_meets_an_address_which_refuses_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    batcher = Batcher(parse_location("postgresql://p@127.0.0.1:9/p", "p"), 1.0)
    for _ in range(3):
        with pytest.raises(StoreUnreachable, match="cannot be reached") as refused:
            await batcher.submit(SqlCall("SELECT 1", ()))
        assert refused.value.outage
    await batcher.close(1.0)
    (line,) = lines(caplog)
    assert line.startswith("the store is away, work waits for it: PostgreSQL at 127.0.0.1:9/p:")


async def test_with_all_that_works_on_a_store_an_outage_is_two_lines(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with PostgresStore.open(cluster.url, schema=schema, lease=1.5, outage=StoreOutage()) as store:
        upkeep = asyncio.create_task(store.maintain(0.2))
        waiting = asyncio.create_task(_wait_always(store))
        for round_ in range(1, 3):
            cluster.stop("immediate")
            try:
                for number in range(4):
                    with pytest.raises(StoreUnreachable):
                        await store.set(Document(f"round {round_} {number}", "x", 0))
                    await asyncio.sleep(0.3)  # the listener, the signs of life and the waiter meet it, too
            finally:
                cluster.start()
            await until(lambda: len(lines(caplog)) >= 2 * round_, "the end is told")  # noqa: B023
        await store.set(Document("after", "x", 0))
        for task in (upkeep, waiting):
            task.cancel()
        await asyncio.wait([upkeep, waiting])
    said = lines(caplog)
    assert [each[:18] for each in said] == ["the store is away,", "the store is back;"] * 2, said


@pytest.mark.skipif(not is_installed(), reason='Debian\'s package is "pgbouncer"')
async def test_behind_a_pooler_an_outage_is_two_lines_too(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with pooled(cluster) as url:
        opened = PostgresStore.open(
            url, schema=schema, lease=1.5, listen_url=cluster.url, outage=StoreOutage()
        )
        async with opened as store:
            waiting = asyncio.create_task(_wait_always(store))
            cluster.stop("immediate")
            try:
                for number in range(6):  # the pooler refuses whoever comes when it has tried the server
                    with pytest.raises(StoreUnreachable):
                        await store.set(Document(f"{number}", "x", 0))
                    await asyncio.sleep(0.3)
            finally:
                cluster.start()
            await until(lambda: len(lines(caplog)) >= 2, "the end is told")
            await store.set(Document("after", "x", 0))
            waiting.cancel()
            await asyncio.wait([waiting])
    said = lines(caplog)
    assert [each[:18] for each in said] == ["the store is away,", "the store is back;"], said


async def _wait_always(store: PostgresStore) -> None:
    """Wait for work as a queue's worker does."""
    while True:
        try:
            await store.claim("in", 1)
            await store.wait("in", 0.1)
        except StoreUnavailable:
            await asyncio.sleep(0.05)
