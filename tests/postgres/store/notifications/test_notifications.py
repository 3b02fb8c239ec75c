"""Word between nodes: whole, in order, to the others only, and never over the waking of queues."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.ports.lease import LeaseToken, holding_lease, uptime
from parley.store.postgres import PostgresStore

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


class Ear:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.texts: asyncio.Queue[str] = asyncio.Queue()
        self.gaps = asyncio.Semaphore(0)

    def on_message(self, text: str) -> None:
        self.texts.put_nowait(text)

    def on_gap(self) -> None:
        self.gaps.release()


async def test_the_others_hear_it_whole_and_in_order(cluster: Cluster, schema: str) -> None:
    texts = ["", "one", "第二" * 5000, "thr\nee", "four " * 3000]
    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema) as b,
    ):
        own, others, elsewhere = Ear(), Ear(), Ear()
        a.news.subscribe("topic", own)
        b.news.subscribe("topic", others)
        b.news.subscribe("another", elsewhere)
        for text in texts:
            await a.news.publish("topic", text)
        assert [await others.texts.get() for _ in texts] == texts
        await b.news.publish("topic", "back")
        assert await own.texts.get() == "back"
        assert own.texts.empty()
        assert elsewhere.texts.empty()


async def test_two_that_tell_at_once_are_not_mixed_up(cluster: Cluster, schema: str) -> None:
    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema) as b,
        PostgresStore.open(cluster.url, schema=schema) as c,
    ):
        ear = Ear()
        c.news.subscribe("topic", ear)
        texts = {letter * 20_000 for letter in "abcdef"}
        tellers = (a, b)
        await asyncio.gather(
            *(tellers[place % 2].news.publish("topic", text) for place, text in enumerate(sorted(texts)))
        )
        assert {await ear.texts.get() for _ in texts} == texts


async def test_whoever_lost_the_line_is_told_that_something_may_be_missing(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as a:
        ear = Ear()
        a.news.subscribe("topic", ear)
        await asyncio.to_thread(cluster.stop)
        await asyncio.to_thread(cluster.start)
        await ear.gaps.acquire()


async def test_queues_are_woken_beside_it(cluster: Cluster, schema: str) -> None:
    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema, poll=3600) as b,
    ):
        for node in (b, a):
            await node.renew()  # now each knows of the other
        await a.news.publish("topic", "hello")
        waiting = asyncio.create_task(b.wait("in", 3600))
        await asyncio.sleep(0)
        await a.put(NewQueueItem("in", "x", "1"))
        await waiting


async def test_nodes_are_told_of_one_that_begins_and_of_one_that_leaves(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, node="a", schema=schema) as a:
        seen = a.nodes.changes()
        await a.renew()
        await a.nodes.wait_for_change(seen, 3600)  # it tells itself, too
        seen = a.nodes.changes()
        async with PostgresStore.open(cluster.url, node="b", schema=schema) as b:
            await b.renew()
            await a.nodes.wait_for_change(seen, 3600)
            assert [node.name for node in await a.nodes.list_nodes("") if node.alive] == ["a", "b"]
            seen = a.nodes.changes()
        await a.nodes.wait_for_change(seen, 3600)
        assert [node.name for node in await a.nodes.list_nodes("") if node.alive] == ["a"]


async def test_what_one_node_has_another_gets_when_it_lets_go_or_leaves(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, node="b", schema=schema) as b:
        async with PostgresStore.open(cluster.url, node="a", schema=schema) as a:
            assert (await a.nodes.acquire_lease("seat", 3600)).node == "a"
            assert (await b.nodes.acquire_lease("seat", 3600)).node == "a"
            await b.nodes.release_lease("seat")
            assert (await b.nodes.acquire_lease("seat", 3600)).node == "a"
            freed = asyncio.create_task(b.nodes.wait_for_release("seat", 3600))
            await asyncio.sleep(0)
            await a.nodes.release_lease("seat")
            await freed
            assert (await b.nodes.acquire_lease("seat", 3600)).node == "b"
            await b.nodes.release_lease("seat")
            await a.nodes.acquire_lease("seat", 3600)
            await a.renew()
            assert [node.holds for node in await b.nodes.list_nodes("") if node.name == "a"] == [("seat",)]
        assert (await b.nodes.acquire_lease("seat", 3600)).node == "b"


async def test_what_nobody_prolongs_is_free_when_its_time_is_over(cluster: Cluster, schema: str) -> None:
    async with (
        PostgresStore.open(cluster.url, node="a", schema=schema) as a,
        PostgresStore.open(cluster.url, node="b", schema=schema) as b,
    ):
        assert (await a.nodes.acquire_lease("seat", 0.0)).node == "a"
        assert (await b.nodes.acquire_lease("seat", 3600)).node == "b"
        assert (await a.nodes.acquire_lease("seat", 3600)).node == "b"


async def test_a_claim_stands_for_as_long_as_signs_of_life_follow_each_other(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema, lease=30) as store:
        await store.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "y", "1"))
        first, second = await store.claim("in", 2)
        assert first.tenure is second.tenure
        ends = uptime() + first.tenure.left
        assert ends <= uptime() + 30
        await store.renew()
        assert uptime() + first.tenure.left > ends
        first.tenure.require()


async def test_who_cannot_prove_its_lease_writes_nothing(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        kept = await store.set(Document("kept", "old", 0))
        await store.put(NewQueueItem("in", "x", "1"))
        with holding_lease(LeaseToken(15, uptime() - 15)):
            for late in (
                store.put(NewQueueItem("in", "late", "1")),
                store.set(replace(kept, body="new")),
                store.delete("kept"),
                store.cancel("in", "x", 99),
            ):
                with pytest.raises(LaneLost):
                    await late
        assert await store.get("kept") == kept
        assert await store.waiting("in", "late") == ()
        assert len(await store.waiting("in", "x")) == 1
