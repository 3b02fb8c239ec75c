"""Counts: they only grow, once for each turn, and not beyond what a tally allows."""

from __future__ import annotations

import asyncio

import pytest

from parley.core.model.errors import DocumentConflict, LaneLost
from parley.core.model.usage import Usage
from parley.core.ports.journal import CounterIncrement, Document, NewQueueItem
from parley.store.interface import Store
from parley.store.retention import DAY
from tests.kit.store.nodes import LEASE, Clock, claim_one

FULL = Usage(turns=1, metered=2, input=3, output=4, unpriced=5, cost=6)
FAR = 9e9


def turns(name: str, most: int = 0, number: int = 1) -> CounterIncrement:
    return CounterIncrement(name, FAR, Usage(turns=number), most)


class CountPromises:
    async def test_what_was_never_counted_is_nothing(self, a: Store) -> None:
        assert await a.counted(["x", "y"]) == (Usage(), Usage())
        assert await a.counted([]) == ()

    async def test_tallies_of_all_nodes_add_up(self, a: Store, b: Store) -> None:
        for node in (a, b, a):
            assert await node.tally(
                [CounterIncrement("x", FAR, FULL), CounterIncrement("y", FAR, Usage(cost=-1))]
            )
        for node in (a, b):
            assert await node.counted(["y", "x"]) == (Usage(cost=-3), Usage(3, 6, 9, 12, 15, 18))

    async def test_several_tallies_of_one_count_all_count(self, a: Store) -> None:
        await a.tally([turns("x"), turns("x", number=4)])
        assert await a.counted(["x", "x"]) == (Usage(turns=5), Usage(turns=5))

    async def test_large_sums_are_exact(self, a: Store, b: Store) -> None:
        for node in (a, b):
            await node.tally([CounterIncrement("x", FAR, Usage(input=2**60 + 1, cost=2**60 - 1))])
        assert await a.counted(["x"]) == (Usage(input=2**61 + 2, cost=2**61 - 2),)

    async def test_a_tally_beyond_its_most_adds_nothing_anywhere(self, a: Store, b: Store) -> None:
        assert await a.tally([turns("x", most=2), turns("y")])
        assert await b.tally([turns("x", most=2), turns("y")])
        for node in (a, b):
            assert not await node.tally([turns("z"), turns("x", most=2), turns("y")])
        assert await a.counted(["x", "y", "z"]) == (Usage(turns=2), Usage(turns=2), Usage())
        assert await a.tally([turns("x", most=3)])

    async def test_of_many_at_once_only_as_many_pass_as_there_is_room(self, a: Store) -> None:
        passed = await asyncio.gather(*(a.tally([turns("x", most=7)]) for _ in range(30)))
        assert passed.count(True) == 7
        assert await a.counted(["x"]) == (Usage(turns=7),)

    async def test_under_one_name_it_is_counted_once(self, a: Store, b: Store) -> None:
        for node in (a, b, a):
            assert await node.tally([turns("x", most=1)], once="turn 7")
        assert not await b.tally([turns("x", most=1)], once="turn 8")
        assert await a.tally([turns("x", most=2)], once="turn 8")
        assert await a.counted(["x"]) == (Usage(turns=2),)

    async def test_done_counts_with_the_rest(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.done(
            claim, claim.items, tallies=[CounterIncrement("x", FAR, FULL), turns("y", most=1, number=3)]
        )
        assert await b.counted(["x", "y"]) == (FULL, Usage(turns=3))

    async def test_a_conflict_counts_nothing(self, a: Store) -> None:
        await a.set(Document("taken", "theirs", 0))
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        with pytest.raises(DocumentConflict):
            await a.done(claim, claim.items, documents=[Document("taken", "ours", 0)], tallies=[turns("x")])
        assert await a.counted(["x"]) == (Usage(),)
        await a.done(claim, claim.items, tallies=[turns("x")])
        assert await a.counted(["x"]) == (Usage(turns=1),)

    async def test_who_lost_the_lane_counts_nothing(self, a: Store, b: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        clock.advance(LEASE + 1)
        later = await claim_one(b)
        with pytest.raises(LaneLost):
            await a.done(claim, claim.items, tallies=[turns("x")])
        await b.done(later, later.items, tallies=[turns("x")])
        assert await a.counted(["x"]) == (Usage(turns=1),)

    async def test_what_was_cancelled_counts_nothing(self, a: Store) -> None:
        (item,) = await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.cancel("in", "x", (item or 0) + 1)
        with pytest.raises(LaneLost):
            await a.done(claim, claim.items, tallies=[turns("x")])
        assert await a.counted(["x"]) == (Usage(),)

    async def test_counts_go_when_their_time_is_over(self, a: Store, b: Store, clock: Clock) -> None:
        for node in (a, b):
            await node.tally(
                [
                    CounterIncrement("x", clock.now + DAY, FULL),
                    CounterIncrement("y", clock.now + 2 * DAY, FULL),
                ]
            )
        await a.prune(clock.now + DAY - 1)
        assert await a.counted(["x"]) == (FULL + FULL,)
        await a.prune(clock.now + DAY + 1)
        assert await a.counted(["x", "y"]) == (Usage(), FULL + FULL)

    async def test_counts_are_removed_by_how_their_names_begin(self, a: Store, b: Store) -> None:
        names = ["account/a/1", "account/a/2", "account/ab/1", "chat/a/1"]
        for node in (a, b):
            await node.tally([turns(name) for name in names])
        assert await a.uncount(["account/a/1", "account/a/2", "account/none/"]) == 2
        assert await b.counted(names) == (Usage(), Usage(), Usage(turns=2), Usage(turns=2))
        assert await a.uncount(["account/a/"]) == 0
