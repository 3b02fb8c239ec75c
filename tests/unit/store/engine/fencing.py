"""Leases and epochs: a node that lost its lane changes nothing."""

from __future__ import annotations

import pytest

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Claim, Document, NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import LEASE, Clock, OpenNode, bodies, claim_one


async def lapsed(a: Store, b: Store, clock: Clock) -> tuple[Claim, Claim]:
    """One lane, held by `a` until its lease lapsed and now by `b`."""
    await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
    old = await claim_one(a)
    clock.advance(LEASE)
    return old, await claim_one(b)


class FencingPromises:
    async def test_a_lapsed_lane_goes_to_another_node_with_its_notes(
        self, a: Store, b: Store, clock: Clock
    ) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "run 7")
        clock.advance(LEASE)
        taken = await claim_one(b)
        assert taken.items[0].note == "run 7"
        assert taken.epoch > claim.epoch

    async def test_a_renewed_lane_does_not_lapse(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        for _ in range(4):
            clock.advance(LEASE - 1)
            await a.renew()
            assert await b.claim("in", 1) == ()
        await a.done(claim, claim.items)

    async def test_one_node_does_not_renew_for_another(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await claim_one(a)
        clock.advance(LEASE - 1)
        await b.renew()
        clock.advance(1)
        assert (await claim_one(b)).lane == "x"

    async def test_a_late_node_that_nobody_replaced_may_still_finish(self, a: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        clock.advance(10 * LEASE)
        await a.done(claim, claim.items)
        assert await a.waiting("in", "x") == ()

    async def test_a_node_that_lost_its_lane_finishes_nothing(self, a: Store, b: Store, clock: Clock) -> None:
        old, new = await lapsed(a, b, clock)
        with pytest.raises(LaneLost):
            await a.done(
                old, old.items, puts=[NewQueueItem("out", "x", "r")], documents=[Document("d", "1", 0)]
            )
        assert await b.waiting("in", "x") == new.items
        assert await b.waiting("out", "x") == ()
        assert (await b.get("d")).version == 0

    async def test_a_node_that_lost_its_lane_changes_nothing(self, a: Store, b: Store, clock: Clock) -> None:
        old, new = await lapsed(a, b, clock)
        for late in (
            a.note(old, old.items[0].id, "late"),
            a.retry(old, 1),
            a.bury(old, old.items[:1], "late"),
            a.done(old, []),
        ):
            with pytest.raises(LaneLost):
                await late
        await a.release(old)
        assert await b.waiting("in", "x") == new.items
        assert await a.claim("in", 1) == ()
        await b.done(new, new.items)

    async def test_a_node_cannot_use_its_own_older_claim(self, a: Store, clock: Clock) -> None:
        old, new = await lapsed(a, a, clock)
        with pytest.raises(LaneLost):
            await a.done(old, old.items)
        await a.done(new, new.items)

    async def test_epochs_outlive_an_empty_lane(self, a: Store, b: Store, clock: Clock) -> None:
        old, new = await lapsed(a, b, clock)
        await b.done(new, new.items)
        await b.prune(clock.now)
        await b.put(NewQueueItem("in", "x", "3"))
        await claim_one(b)
        with pytest.raises(LaneLost):
            await a.done(old, [])

    async def test_a_lapsed_lane_whose_items_are_gone_is_tolerated(
        self, a: Store, b: Store, clock: Clock
    ) -> None:
        (item,) = await a.put(NewQueueItem("in", "x", "1"))
        await claim_one(a)
        await a.cancel("in", "x", (item or 0) + 1)
        clock.advance(LEASE)
        assert await b.claim("in", 10) == ()
        await b.put(NewQueueItem("in", "x", "2"))
        assert bodies((await claim_one(b)).items) == ["2"]

    async def test_a_lapsed_lane_with_a_delayed_head_waits_for_it(
        self, a: Store, b: Store, clock: Clock
    ) -> None:
        await a.put(NewQueueItem("in", "x", "1", slot="s"), NewQueueItem("in", "y", "2"))
        await a.claim("in", 10)
        await a.put(NewQueueItem("in", "x", "1b", slot="s", delay=2 * LEASE))
        clock.advance(LEASE)
        assert [claim.lane for claim in await b.claim("in", 10)] == ["y"]
        clock.advance(LEASE)
        assert "x" in {claim.lane for claim in await b.claim("in", 10)}

    async def test_a_node_that_leaves_frees_its_lanes(self, a: Store, open_node: OpenNode) -> None:
        async with open_node("leaver", "main") as leaver:
            await leaver.put(NewQueueItem("in", "x", "1"))
            await claim_one(leaver)
        assert (await claim_one(a)).lane == "x"
