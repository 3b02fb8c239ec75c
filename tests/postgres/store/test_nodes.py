"""What nodes promise each other beyond the suite: upkeep, doubtful claims, the server's clock."""

from __future__ import annotations

import asyncio
import time

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.errors import LaneLost, StoreUnavailable
from parley.core.ports.journal import NewQueueItem
from parley.store.postgres import PostgresStore
from parley.store.retention import DAY
from tests.kit.store.nodes import LEASE, Clock, OpenNode, claim_one, finish_next

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


async def test_maintenance_keeps_what_a_node_holds(open_node: OpenNode, clock: Clock) -> None:
    async with open_node("a", "main") as a, open_node("b", "main") as b:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        clock.advance(LEASE - 1)
        upkeep = asyncio.create_task(a.maintain())
        while [node.left for node in await a.nodes.list_nodes("") if node.name == "a"] != [LEASE]:
            pass  # until it has shown that it lives
        clock.advance(LEASE - 1)
        assert await b.claim("in", 1) == ()
        await a.done(claim, claim.items)
        upkeep.cancel()
        await asyncio.wait([upkeep])


async def test_nodes_whose_clocks_differ_agree_by_the_servers(cluster: Cluster, schema: str) -> None:
    async with (
        PostgresStore.open(cluster.url, schema=schema, lease=300) as a,
        PostgresStore.open(cluster.url, schema=schema, lease=300) as b,
    ):
        before = time.time()
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        assert before - 1 <= claim.items[0].put_at <= time.time() + 1
        assert await b.claim("in", 1) == ()


async def test_a_claim_whose_answer_was_lost_is_taken_back(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, node="a", schema=schema, lease=3600) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        with psycopg.connect(cluster.url, autocommit=True) as other:
            # The server commits, and goes away before it answers.
            other.execute(
                f"CREATE FUNCTION {schema}.farewell() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$"
            )
            other.execute(
                f"CREATE CONSTRAINT TRIGGER farewell AFTER UPDATE ON {schema}.lanes INITIALLY DEFERRED"
                f" FOR EACH ROW EXECUTE FUNCTION {schema}.farewell()"
            )
            with pytest.raises(StoreUnavailable):
                await store.claim("in", 1)
            other.execute(f"DROP TRIGGER farewell ON {schema}.lanes")
            # Whether such a claim was committed cannot be known; let it have been.
            ticket = next(iter(store._claims.doubts.open()[1]))
            other.execute(
                f"UPDATE {schema}.lanes SET node = 'a', ticket = %s, ready_at = NULL, epoch = 77", (ticket,)
            )
        assert await finish_next(store) == "1"


async def test_a_dead_nodes_name_goes_with_time(cluster: Cluster, schema: str) -> None:
    clock = Clock()
    async with PostgresStore.open(cluster.url, node="b", schema=schema, clock=clock) as store:
        with psycopg.connect(cluster.url, autocommit=True) as other:
            other.execute(f"INSERT INTO {schema}.nodes VALUES ('long dead', 5)")
            await store.renew()
            clock.advance(8 * DAY)
            await store.prune(clock.now)
            names = other.execute(f"SELECT name FROM {schema}.nodes WHERE name = 'long dead'").fetchall()
    assert names == []


async def test_two_nodes_share_the_work_and_each_lane_has_one_of_them(cluster: Cluster, schema: str) -> None:
    at_work: set[str] = set()
    done: dict[str, list[int]] = {}

    async def work(store: PostgresStore) -> None:
        while sum(map(len, done.values())) < 300:
            for claim in await store.claim("in", 4):
                assert claim.lane not in at_work
                at_work.add(claim.lane)
                await store.note(claim, claim.items[0].id, "begun")
                done.setdefault(claim.lane, []).extend(int(item.body) for item in claim.items[:2])
                at_work.remove(claim.lane)
                await store.done(claim, claim.items[:2])
            await store.wait("in", 0.05)

    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema) as b,
    ):
        await a.put(*(NewQueueItem("in", str(n % 10), str(n)) for n in range(300)))
        await asyncio.gather(work(a), work(b))
    assert all(numbers == sorted(numbers) for numbers in done.values())
    assert sorted(n for numbers in done.values() for n in numbers) == list(range(300))


async def test_a_lane_lost_in_a_batch_undoes_only_its_own_part(open_node: OpenNode, clock: Clock) -> None:
    async with open_node("a", "main") as a, open_node("b", "main") as b:
        await a.put(NewQueueItem("in", "x", "1"))
        old = await claim_one(a)
        clock.advance(LEASE)
        await claim_one(b)
        results = await asyncio.gather(
            *(a.put(NewQueueItem("out", str(n), "")) for n in range(5)),
            a.done(old, old.items, puts=[NewQueueItem("out", "late", "")]),
            return_exceptions=True,
        )
        assert isinstance(results[-1], LaneLost)
        assert await a.waiting("out", "late") == ()
        assert len(await a.claim("out", 10)) == 5
