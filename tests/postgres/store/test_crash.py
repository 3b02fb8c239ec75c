"""kill -9 and stopped servers in the middle of writes: what was acknowledged is there, in order, once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import defaultdict

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.errors import LaneLost, StoreUnavailable
from parley.core.ports.journal import Claim, NewQueueItem
from parley.store.interface import Store
from parley.store.postgres import PostgresStore
from tests.kit.machine import patience
from tests.kit.store.nodes import Clock, claim_one, finish_next
from tests.kit.waiting import until
from tests.postgres.store.crash_child import LANES

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

KILLS = 5
_BACKENDS = """SELECT 1 FROM pg_stat_activity
    WHERE application_name = 'parley' AND datname = current_database()"""
_LEASE = patience(30.0)
"""Seconds in which nobody has to say that our own node lives."""


async def start(url: str, schema: str, node: str) -> tuple[asyncio.subprocess.Process, asyncio.StreamReader]:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.postgres.store.crash_child", url, schema, node),
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    return child, child.stdout


async def crash_after(url: str, schema: str, node: str, lines: int) -> list[bytes]:
    """Let a child write, kill it after so many acknowledgements; returns all it gave."""
    child, output = await start(url, schema, node)
    given = [await output.readline() for _ in range(lines)]
    child.kill()
    given += (await output.read()).splitlines(keepends=True)
    await child.wait()
    await all_ended(url)
    return [line for line in given if line.endswith(b"\n")]


async def all_ended(url: str) -> None:
    """Wait until the server has ended what a killed process had sent: it may commit that meanwhile."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as operator:

        async def ended() -> bool:
            left = await operator.execute(_BACKENDS)
            return await left.fetchone() is None

        await until(ended, "the server ends what the killed process began")


async def audit(store: Store, acknowledged: dict[str, set[int]]) -> None:
    for lane in LANES:
        out = [int(item.body) for item in await store.waiting("out", lane)]
        numbers = out + [int(item.body) for item in await store.waiting("in", lane)]
        assert numbers == list(range(len(numbers)))  # in order, none missing, none twice
        assert acknowledged[lane] <= set(numbers)
        assert int((await store.get(lane)).body or "0") == len(out)


async def unfinished(store: Store) -> int:
    return sum([len(await store.waiting("in", lane)) for lane in LANES])


async def test_everything_acknowledged_survives_kill_9(cluster: Cluster, schema: str) -> None:
    acknowledged: dict[str, set[int]] = defaultdict(set)
    for kill in range(KILLS):
        given = await crash_after(cluster.url, schema, f"child {kill}", random.randint(1, 400))
        for line in given:
            lane, number = line.decode().split()
            assert int(number) not in acknowledged[lane]
            acknowledged[lane].add(int(number))
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            await audit(store, acknowledged)
    assert sum(map(len, acknowledged.values())) >= KILLS


async def test_a_dead_nodes_lanes_are_taken_over_after_its_lease(cluster: Cluster, schema: str) -> None:
    child, output = await start(cluster.url, schema, "dead")
    await output.readline()
    child.send_signal(signal.SIGSTOP)
    child.kill()
    await child.wait()
    async with PostgresStore.open(cluster.url, schema=schema, lease=_LEASE) as store:
        # Counted anew each time: the server may still commit what the dead node had sent.
        while await unfinished(store):
            for claim in await store.claim("in", 10):
                await store.done(claim, claim.items)
            await store.wait("in", 1)


async def test_a_frozen_node_that_wakes_changes_nothing(cluster: Cluster, schema: str) -> None:
    clock = Clock()
    frozen = PostgresStore.open(cluster.url, node="frozen", schema=schema, clock=clock)
    other = PostgresStore.open(cluster.url, node="other", schema=schema, clock=clock)
    async with frozen as a, other as b:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        old = await claim_one(a)
        clock.advance(60)  # nobody renewed for it
        new = await claim_one(b)
        await b.note(new, new.items[0].id, "taken over")
        await a.renew()  # it wakes: alive again, but its lane is gone
        for late in (a.note(old, old.items[0].id, "late"), a.done(old, old.items), a.retry(old, 0)):
            with pytest.raises(LaneLost):
                await late
        assert [item.note for item in await a.waiting("in", "x")] == ["taken over", ""]
        await b.done(new, new.items)
        assert await a.waiting("in", "x") == ()


async def test_a_process_that_was_stopped_and_goes_on_disturbs_no_order(
    cluster: Cluster, schema: str
) -> None:
    acknowledged: dict[str, set[int]] = defaultdict(set)
    child, output = await start(cluster.url, schema, "stopped")
    await output.readline()
    async with PostgresStore.open(cluster.url, schema=schema, lease=_LEASE) as store:
        for _ in range(3):
            os.kill(child.pid, signal.SIGSTOP)
            claims: tuple[Claim, ...] = ()
            while not claims and await unfinished(store):  # lanes come over when its lease has lapsed
                claims = await store.claim("in", 10)
                await store.wait("in", 1)
            os.kill(child.pid, signal.SIGCONT)
            for claim in claims:
                counter = await store.get(claim.lane)
                counted = type(counter)(
                    claim.lane, str(int(counter.body or "0") + len(claim.items)), counter.version
                )
                puts = [NewQueueItem("out", claim.lane, item.body) for item in claim.items]
                await store.done(claim, claim.items, puts=puts, documents=[counted])
    child.kill()
    for line in (await output.read()).splitlines(keepends=True):
        if line.endswith(b"\n"):
            lane, number = line.decode().split()
            acknowledged[lane].add(int(number))
    await child.wait()
    await all_ended(cluster.url)
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        await audit(store, acknowledged)


async def persist(store: Store, put: NewQueueItem) -> None:
    """Put until it is acknowledged, as a platform that redelivers does."""
    while True:
        try:
            await store.put(put)
        except StoreUnavailable:
            await asyncio.sleep(0.01)
        else:
            return


async def test_a_database_that_restarts_in_the_middle_loses_and_doubles_nothing(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        async with asyncio.TaskGroup() as group:
            for n in range(20):
                group.create_task(some(store, n))
            for mode in ("fast", "immediate"):
                await asyncio.to_thread(cluster.stop, mode)
                await asyncio.to_thread(cluster.start)
        for n in range(20):
            assert [item.body for item in await store.waiting("in", str(n))] == [str(i) for i in range(60)]


async def some(store: Store, lane: int) -> None:
    for n in range(60):
        await persist(store, NewQueueItem("in", str(lane), str(n), dedupe=f"{lane} {n}"))
        await asyncio.sleep(0.02)  # so that the restarts come in the middle


async def test_whoever_waits_hears_again_after_a_restart(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema, poll=3600) as store:
        waiting = asyncio.create_task(store.wait("in", 3600))
        await asyncio.sleep(0)
        await store.get("k")  # behind the look of whoever waits
        await asyncio.to_thread(cluster.stop)
        await asyncio.to_thread(cluster.start)
        await persist(store, NewQueueItem("in", "x", "1"))
        await waiting
        assert await finish_next(store) == "1"


async def test_an_idle_connection_that_the_server_closed_is_opened_again_unnoticed(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        await store.get("k")
        await asyncio.to_thread(cluster.stop)
        await asyncio.to_thread(cluster.start)
        await store.put(NewQueueItem("in", "x", "2"))
        assert [item.body for item in await store.waiting("in", "x")] == ["1", "2"]
