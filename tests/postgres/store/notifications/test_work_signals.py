"""A message wakes one node that has room: counted are the calls of all nodes, and who works."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.ports.journal import NewQueueItem
from parley.store.postgres import PostgresStore
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.rows import Row
from tests.kit.machine import patience
from tests.kit.store.nodes import bodies
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

NEVER = 3600.0
NODES = 4


@dataclass
class WorkingNode:
    """Claims as the product does, and finishes unless it is to keep what it has."""

    name: str
    store: PostgresStore
    keeps: bool = False
    worked: list[str] = field(default_factory=list)
    waits: int = 0
    finished: int = 0

    async def work(self) -> None:
        while True:
            claims = await self.store.claim("in", 200)
            for claim in claims:
                self.worked += bodies(claim.items)
                if not self.keeps:
                    await self.store.done(claim, claim.items)
                self.finished += 1
            self.waits += 1
            await self.store.wait("in", NEVER)


@asynccontextmanager
async def nodes(
    cluster: Cluster, schema: str, number: int = NODES, poll: float = NEVER
) -> AsyncIterator[Sequence[WorkingNode]]:
    """Yield nodes that know of each other; nobody looks but who is told, unless `poll` seconds are over."""
    async with AsyncExitStack() as stack:
        opened = [
            WorkingNode(
                name,
                await stack.enter_async_context(
                    PostgresStore.open(cluster.url, node=name, schema=schema, poll=poll, lease=300)
                ),
            )
            for name in "abcd"[:number]
        ]
        for node in (*opened, *opened):
            await node.store.renew()
        yield opened


@asynccontextmanager
async def working(some: Sequence[WorkingNode]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(node.work()) for node in some]
    try:
        await until(lambda: all(node.waits for node in some), "all wait")
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def until_worked(some: Sequence[WorkingNode], number: int) -> None:
    await until(lambda: sum(node.finished for node in some) == number, f"{number} are worked")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count what all nodes of this process send, by the statement's first words."""
    counted: Counter[str] = Counter()
    submit = Batcher.submit

    def counting(self: Batcher, call: SqlCall) -> asyncio.Future[list[Row]]:
        counted[call.statement.partition("(")[0].rpartition(".")[2]] += 1
        return submit(self, call)

    monkeypatch.setattr(Batcher, "submit", counting)
    return counted


async def test_a_message_costs_no_more_calls_with_four_nodes(
    cluster: Cluster, schema: str, calls: Counter[str]
) -> None:
    async with nodes(cluster, schema) as some, working(some):
        calls.clear()
        for place in range(20):
            node = some[place % NODES]
            await node.store.put(NewQueueItem("in", f"lane{place}", f"{place}"))
            await until_worked(some, place + 1)
        assert sum(calls.values()) == 3 * 20, f"put, claim and done are enough: {calls}"
    assert [len(node.worked) for node in some] == [5] * NODES


async def test_nobody_is_notified_of_what_a_node_takes_itself(cluster: Cluster, schema: str) -> None:
    async with nodes(cluster, schema, 2) as some, working(some):
        with psycopg.connect(cluster.url, autocommit=True) as ear:
            ear.execute(f"LISTEN {schema}")
            for place in range(5):
                await some[0].store.put(NewQueueItem("in", "lane", f"{place}"))
            await until(lambda: len(some[0].worked) == 5, "all are worked, in one lane")
            ear.execute(f"NOTIFY {schema}, 'last'")
            assert [notice.payload for notice in ear.notifies(timeout=patience(20), stop_after=1)] == ["last"]


async def test_what_a_node_without_room_accepts_goes_to_one_other(
    cluster: Cluster, schema: str, calls: Counter[str]
) -> None:
    async with nodes(cluster, schema) as some, working(some[1:]):
        calls.clear()
        await some[0].store.put(NewQueueItem("in", "x", "1"))
        await until(lambda: sum(node.finished for node in some) == 1, "another one works it")
        assert sum(calls.values()) == 4, f"put, notice, claim and done are enough: {calls}"


async def test_a_lane_that_a_full_node_gives_back_goes_on_elsewhere(cluster: Cluster, schema: str) -> None:
    async with nodes(cluster, schema, 2) as (a, b):
        await a.store.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        (claim,) = await a.store.claim("in", 1)
        async with working([b]):
            await a.store.done(claim, claim.items[:1])
            await until(lambda: b.worked == ["2"], "the other one goes on")


async def test_a_delayed_item_that_a_full_node_accepts_is_worked_in_time(
    cluster: Cluster, schema: str
) -> None:
    async with nodes(cluster, schema, 2) as (a, b), working([b]):
        await a.store.put(NewQueueItem("in", "x", "1", delay=0.2))
        await until(lambda: b.worked == ["1"], "the other one works it")


async def test_two_delayed_items_of_one_node_are_both_worked_in_time(cluster: Cluster, schema: str) -> None:
    async with nodes(cluster, schema, 1) as (a,), working([a]):
        await a.store.put(
            NewQueueItem("in", "x", "1", delay=0.1),
            NewQueueItem("in", "y", "2", delay=0.3),
            NewQueueItem("in", "z", "3"),
        )
        await until(lambda: a.worked == ["3", "1", "2"], "all are worked")


async def test_a_node_that_holds_much_leaves_work_to_one_that_holds_little(
    cluster: Cluster, schema: str
) -> None:
    async with nodes(cluster, schema, 2) as (a, b):
        a.keeps = b.keeps = True
        async with working([a, b]):
            for place in range(60):
                await a.store.put(NewQueueItem("in", f"lane{place}", f"{place}"))
                await until_worked([a, b], place + 1)
    assert len(a.worked) >= 30
    assert len(b.worked) >= 15


@pytest.mark.parametrize("told", ["a node that does not take it", "a node that has ended"])
async def test_who_was_told_and_does_nothing_delays_no_message(
    cluster: Cluster, schema: str, told: str
) -> None:
    """Of the two others one is told by chance: each message comes through, by the looks of the other."""
    async with nodes(cluster, schema, 3, poll=0.2) as (a, b, c), working([c]):
        if told == "a node that has ended":
            with psycopg.connect(cluster.url, autocommit=True) as other:
                other.execute(f"UPDATE {schema}.nodes SET held = 0, channel = 'parley/gone' WHERE name = 'b'")
            await a.store.renew()
        assert b.worked == []
        for place in range(10):
            await a.store.put(NewQueueItem("in", f"lane{place}", f"{place}"))
            await until_worked([c], place + 1)


async def test_nodes_before_this_schema_are_heard_and_hear(cluster: Cluster, schema: str) -> None:
    async with nodes(cluster, schema, 1) as (a,), working([a]):
        with psycopg.connect(cluster.url, autocommit=True) as old:
            old.execute(f"LISTEN {schema}")
            old.execute(
                f"SELECT {schema}.put_about(ARRAY['in'], ARRAY['x'], ARRAY['1'], ARRAY[''],"
                " ARRAY[0::float8], ARRAY[''], ARRAY[0::float8], ARRAY['{}'], NULL)"
            )
            await until(lambda: a.worked == ["1"], "the new node hears of it")
            assert [notice.payload for notice in old.notifies(timeout=patience(20), stop_after=1)] == ["in"]


async def test_a_full_node_tells_nodes_before_this_schema(cluster: Cluster, schema: str) -> None:
    async with nodes(cluster, schema, 1) as (a,):
        with psycopg.connect(cluster.url, autocommit=True) as old:
            old.execute(f"LISTEN {schema}")
            old.execute(
                f"INSERT INTO {schema}.nodes (name, until)"
                " VALUES ('old', extract(epoch FROM clock_timestamp()) + 300)"
            )
            await a.store.renew()
            await a.store.put(NewQueueItem("in", "x", "1"))
            heard = await asyncio.to_thread(lambda: list(old.notifies(timeout=patience(60), stop_after=1)))
            assert [notice.payload for notice in heard] == ["in"]


async def test_a_new_node_is_known_at_once_and_one_that_leaves_is_forgotten(
    cluster: Cluster, schema: str
) -> None:
    async with nodes(cluster, schema, 1) as (a,):
        upkeep = asyncio.create_task(a.store.maintain())
        for name in ("b", "c"):
            opening = PostgresStore.open(cluster.url, node=name, schema=schema, poll=NEVER, lease=300)
            async with opening as other:
                node = WorkingNode(name, other)
                async with working([node]):
                    await other.renew()
                    await until(lambda: len(a.store._engine.signals.peers) == 1, "it is known")
                    await a.store.put(NewQueueItem("in", name, name))
                    await until_worked([node], 1)
            await until(lambda: not a.store._engine.signals.peers, "it is forgotten")
        upkeep.cancel()
        await asyncio.wait([upkeep])
