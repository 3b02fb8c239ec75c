"""Claims that vanish with their nodes are counted; those that are given back are not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Claim, NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import LEASE, Clock, OpenNode, claim_one

GiveBack = Callable[[Store, Claim], Awaitable[None]]


async def _finish_one(store: Store, claim: Claim) -> None:
    await store.done(claim, claim.items[:1])


async def _give_back(store: Store, claim: Claim) -> None:
    await store.release(claim)


async def _try_again(store: Store, claim: Claim) -> None:
    await store.retry(claim, 0)


async def _bury_one(store: Store, claim: Claim) -> None:
    await store.bury(claim, claim.items[:1], "broke")


GIVING_BACK: tuple[GiveBack, ...] = (_finish_one, _give_back, _try_again, _bury_one)


async def vanish(store: Store, clock: Clock) -> Claim:
    """Claim the one lane, and lose it as a node does that died."""
    claim = await claim_one(store)
    clock.advance(LEASE + 1)
    return claim


class CrashPromises:
    async def test_a_claim_that_vanishes_is_counted(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        seen = [(await vanish(store, clock)).crashes for store in (a, b, a)]
        assert seen == [0, 1, 2]

    @pytest.mark.parametrize("give_back", GIVING_BACK)
    async def test_one_that_is_given_back_is_not(
        self, a: Store, b: Store, clock: Clock, give_back: GiveBack
    ) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        await vanish(a, clock)
        claim = await claim_one(b)
        await b.set_trials(claim, 1)
        await give_back(b, claim)
        again = await claim_one(a)
        assert (claim.crashes, again.crashes, again.trials) == (1, 0, 0)

    async def test_a_node_that_leaves_in_order_gives_back(self, b: Store, open_node: OpenNode) -> None:
        await b.put(NewQueueItem("in", "x", "1"))
        async with open_node("leaving", "main") as leaving:
            await claim_one(leaving)
        assert (await claim_one(b)).crashes == 0

    async def test_a_claim_that_got_further_is_not_counted(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await vanish(a, clock)
        claim = await claim_one(b)
        await b.set_trials(claim, 1)
        await b.note(claim, claim.items[0].id, "further")
        clock.advance(LEASE + 1)
        again = await vanish(a, clock)
        assert (claim.crashes, again.crashes, again.trials) == (1, 0, 0)
        assert (await claim_one(b)).crashes == 1

    async def test_the_same_note_again_is_no_progress(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "y", "1"))
        for store in (a, b):
            claims = await store.claim("in", 10)
            for claim in claims:  # several are written together, one by itself
                await store.note(claim, claim.items[0].id, "here")
            clock.advance(LEASE + 1)
        assert [claim.crashes for claim in await a.claim("in", 10)] == [1, 1]

    async def test_of_many_lanes_each_has_its_own_count(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "old", "1"))
        await vanish(a, clock)
        await a.put(*(NewQueueItem("in", f"new {n}", "1") for n in range(3)))
        await b.claim("in", 10)
        clock.advance(LEASE + 1)
        found = {claim.lane: claim.crashes for claim in await a.claim("in", 10)}
        assert found == {"old": 2, "new 0": 1, "new 1": 1, "new 2": 1}

    async def test_trials_are_kept_for_the_claim_after_this_one(
        self, a: Store, b: Store, clock: Clock
    ) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.set_trials(claim, 2)
        clock.advance(LEASE + 1)
        assert ((await vanish(b, clock)).trials, (await claim_one(a)).trials) == (2, 2)

    async def test_who_lost_the_lane_sets_no_trials(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        lost = await vanish(a, clock)
        await claim_one(b)
        with pytest.raises(LaneLost):
            await a.set_trials(lost, 1)

    async def test_what_is_revived_begins_anew(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await vanish(a, clock)
        claim = await claim_one(b)
        await b.bury(claim, claim.items, "poison")
        assert await b.revive(claim.items[0].id)
        assert (await claim_one(a)).crashes == 0
