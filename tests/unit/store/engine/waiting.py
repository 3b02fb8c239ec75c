"""Waiting for work: no wake-up is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from parley.core.ports.journal import Claim, NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import LEASE, Clock, claim_one

FOR_EVER = 3600.0

WAYS: dict[str, Callable[[Store, Claim], Awaitable[None]]] = {
    "release": lambda store, claim: store.release(claim),
    "done": lambda store, claim: store.done(claim, claim.items[:1]),
    "follow-up": lambda store, claim: store.done(claim, claim.items, puts=[NewQueueItem("in", "y", "3")]),
    "retry": lambda store, claim: store.retry(claim, 0),
    "bury": lambda store, claim: store.bury(claim, claim.items[:1], "no model"),
}


class WaitingPromises:
    async def test_work_that_is_there_is_not_waited_for(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await a.wait("in", FOR_EVER)

    async def test_waiting_ends_with_its_time(self, a: Store) -> None:
        await a.put(NewQueueItem("other", "x", "1"), NewQueueItem("in", "x", "1", delay=100))
        await a.wait("in", 0.01)
        await a.wait("in", 0)
        assert await a.claim("in", 1) == ()

    async def test_a_put_wakes_whoever_waits_on_whichever_node(self, a: Store, b: Store) -> None:
        waiting = [asyncio.create_task(store.wait("in", FOR_EVER)) for store in (a, b, a)]
        await asyncio.sleep(0)
        await a.put(NewQueueItem("in", "x", "1"))
        await asyncio.gather(*waiting)

    @pytest.mark.parametrize("way", WAYS)
    async def test_a_lane_that_comes_free_wakes(self, a: Store, way: str) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        waiting = asyncio.create_task(a.wait("in", FOR_EVER))
        await asyncio.sleep(0)
        await WAYS[way](a, claim)
        await waiting
        assert await a.claim("in", 1) != ()

    async def test_a_cancelled_head_wakes_for_the_next_item(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1", delay=100))
        (second,) = await a.put(NewQueueItem("in", "x", "2"))
        waiting = asyncio.create_task(a.wait("in", FOR_EVER))
        await asyncio.sleep(0)
        await a.cancel("in", "x", second or 0)
        await waiting

    async def test_nothing_behind_a_delayed_head_ends_the_wait(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        await a.retry(await claim_one(a), 100)
        waiting = asyncio.create_task(a.wait("in", FOR_EVER))
        for _ in range(3):
            await a.waiting("in", "x")  # each behind a look of whoever waits
        assert not waiting.done()
        waiting.cancel()
        await asyncio.wait([waiting])

    async def test_a_revived_letter_wakes(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.bury(claim, claim.items[:1], "no")
        waiting = asyncio.create_task(a.wait("in", FOR_EVER))
        await asyncio.sleep(0)
        await a.revive(claim.items[0].id)
        await waiting

    async def test_a_lapse_wakes_another_node(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await claim_one(a)
        waiting = asyncio.create_task(b.wait("in", FOR_EVER))
        await asyncio.sleep(0)
        clock.advance(LEASE)
        await waiting
        assert (await claim_one(b)).lane == "x"

    async def test_no_wake_up_is_lost_between_many_producers_and_consumers(self, a: Store, b: Store) -> None:
        seen: list[str] = []

        async def consume(store: Store) -> None:
            while len(seen) < 300:
                for claim in await store.claim("in", 3):
                    seen.append(claim.items[0].body)
                    await store.done(claim, claim.items[:1])
                # A wake-up that is lost is waited for in vain: the test ends with its time.
                await store.wait("in", FOR_EVER if len(seen) < 300 else 0)

        async def produce(lane: str) -> None:
            for n in range(30):
                await a.put(NewQueueItem("in", lane, f"{lane}{n}"))

        async with asyncio.TaskGroup() as group:
            consumers = [group.create_task(consume(store)) for store in (a, b)]
            async with asyncio.TaskGroup() as producers:
                for lane in "0123456789":
                    producers.create_task(produce(lane))
            await asyncio.wait(consumers, return_when=asyncio.FIRST_COMPLETED)
            await a.put(NewQueueItem("in", "bell", ""))
        assert len(set(seen) - {""}) == 300

    async def test_a_cancelled_claim_holds_nothing(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claiming = asyncio.create_task(a.claim("in", 1))
        await asyncio.sleep(0)
        claiming.cancel()
        await asyncio.wait([claiming])
        while not (claims := await a.claim("in", 1)):
            await a.wait("in", FOR_EVER)
        assert claims[0].lane == "x"
