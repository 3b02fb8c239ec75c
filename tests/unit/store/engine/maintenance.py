"""Dead letters and retention."""

from __future__ import annotations

import pytest

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import NEWEST_DEAD, NewQueueItem
from parley.store.interface import Store
from parley.store.retention import DAY
from tests.kit.store.nodes import Clock, bodies, claim_one, finish_next


async def bury(store: Store, body: str, slot: str = "") -> int:
    await store.put(NewQueueItem("in", "x", body, slot=slot))
    claim = await claim_one(store)
    await store.bury(claim, claim.items[:1], "no model")
    return claim.items[0].id


class UpkeepPromises:
    async def test_a_buried_item_lets_the_next_one_run(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "run 7")
        await a.bury(claim, claim.items[:1], "no model")
        (dead,) = await a.dead()
        assert dead.body == "1"
        assert dead.note.startswith("run 7")
        assert dead.note.endswith("no model")
        assert await finish_next(a) == "2"

    async def test_several_items_are_buried_together(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(3)))
        claim = await claim_one(a)
        await a.bury(claim, claim.items[:2], "no model")
        assert {(item.body, item.note) for item in await a.dead()} == {("0", "no model"), ("1", "no model")}
        assert await finish_next(a) == "2"

    async def test_a_cancelled_item_is_not_buried(self, a: Store) -> None:
        (item,) = await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.cancel("in", "x", (item or 0) + 1)
        with pytest.raises(LaneLost):
            await a.bury(claim, claim.items, "no model")
        assert await a.dead() == ()

    async def test_dead_letters_come_newest_first(self, a: Store, clock: Clock) -> None:
        for body in "123":
            await bury(a, body)
            clock.advance(1)
        assert bodies(await a.dead()) == ["3", "2", "1"]
        assert bodies(await a.dead(limit=2)) == ["3", "2"]

    async def test_every_dead_letter_is_on_one_page(self, a: Store, clock: Clock) -> None:
        given_up = []
        for number in range(7):
            given_up.append(await bury(a, str(number)))
            clock.advance(number % 3)  # several at one moment
        before, pages = NEWEST_DEAD, []
        while page := await a.dead(2, before):
            before = (page[-1].ended_at, page[-1].id)
            pages.append([item.id for item in page])
            await a.discard(page[-1].id)  # a page begins at a place, not at a letter
        assert [item for page in pages for item in page] == given_up[::-1]
        assert [len(page) for page in pages] == [2, 2, 2, 1]

    async def test_dead_letters_beside_one_are_those_given_up_with_it(self, a: Store, clock: Clock) -> None:
        await bury(a, "before")
        clock.advance(1)
        await a.put(*(NewQueueItem("in", "x", body) for body in "12"), NewQueueItem("in", "y", "other"))
        both = {claim.lane: claim for claim in await a.claim("in", 2)}
        await a.bury(both["x"], both["x"].items, "no model")
        await a.bury(both["y"], both["y"].items, "no model")
        for item in both["x"].items:
            assert bodies(await a.dead_beside(item.id)) == ["2", "1"]
        assert await a.dead_beside(both["y"].items[0].id + 100) == ()

    async def test_dead_letters_are_counted_by_queue(self, a: Store) -> None:
        assert dict(await a.dead_by_queue()) == {}
        for body in "12":
            await bury(a, body)
        await a.put(NewQueueItem("other", "x", "3"))
        assert dict(await a.dead_by_queue()) == {"in": 2}

    async def test_what_waits_is_counted_up_to_a_number(self, a: Store) -> None:
        assert await a.count_waiting("in", 9) == 0
        await bury(a, "dead")
        await a.put(*(NewQueueItem("in", lane, body) for lane in "yz" for body in ("1", "2", "", "3")))
        await a.put(NewQueueItem("other", "x", "1"))
        await a.claim("in", 1)
        assert await a.count_waiting("in", 9) == 6
        assert await a.count_waiting("in", 4) == 4

    async def test_a_backlog_is_what_is_ready_and_held_by_nobody(self, a: Store, clock: Clock) -> None:
        assert dict(await a.backlog()) == {}
        await a.put(NewQueueItem("in", "held", "1"))
        await claim_one(a)
        await a.put(NewQueueItem("in", "late", "2", delay=3600))
        await a.put(
            NewQueueItem("in", "x", "3"), NewQueueItem("in", "x", "4"), NewQueueItem("other", "y", "5")
        )
        clock.advance(7)
        await a.put(NewQueueItem("in", "z", "6"))
        found = await a.backlog()
        assert {queue: each.lanes for queue, each in found.items()} == {"in": 2, "other": 1}
        assert found["in"].oldest == pytest.approx(7)

    async def test_a_revived_item_runs_first_in_its_lane_with_its_note(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "run 7")
        await a.bury(claim, claim.items[:1], "no model")
        await a.put(NewQueueItem("in", "x", "2", delay=60))
        assert await a.revive(claim.items[0].id)
        (item,) = (await claim_one(a)).items
        assert (item.body, item.note, item.attempts) == ("1", "run 7", 0)
        assert await a.dead() == ()

    async def test_a_lane_that_was_pruned_takes_its_dead_letter_back(self, a: Store, clock: Clock) -> None:
        item = await bury(a, "1")
        await a.prune(clock.now)
        assert await a.revive(item)
        assert await finish_next(a) == "1"

    async def test_a_revived_item_leaves_its_slot_to_a_newer_one(self, a: Store) -> None:
        item = await bury(a, "old", slot="s")
        await a.put(NewQueueItem("in", "x", "new", slot="s"))
        assert await a.revive(item)
        await a.put(NewQueueItem("in", "x", "newer", slot="s"))
        assert bodies(await a.waiting("in", "x")) == ["old", "newer"]

    async def test_a_discarded_item_is_gone(self, a: Store) -> None:
        item = await bury(a, "1")
        assert await a.discard(item)
        assert await a.dead() == ()
        assert not await a.discard(item)
        assert not await a.revive(item)

    async def test_only_dead_letters_are_revived_or_discarded(self, a: Store) -> None:
        (item,) = await a.put(NewQueueItem("in", "x", "1"))
        assert not await a.revive(item or 0)
        assert not await a.discard(item or 0)
        assert bodies(await a.waiting("in", "x")) == ["1"]

    async def test_pruning_keeps_what_is_unfinished_dead_or_recent(self, a: Store, clock: Clock) -> None:
        await bury(a, "dead")
        await a.put(NewQueueItem("in", "x", "waits", dedupe="m1"))
        clock.advance(30 * DAY)
        await a.put(NewQueueItem("in", "y", "recent", dedupe="m2"))
        await a.prune(clock.now)
        assert bodies(await a.dead()) == ["dead"]
        assert bodies(await a.waiting("in", "x")) == ["waits"]
        assert await a.put(NewQueueItem("in", "y", "again", dedupe="m2")) == (None,)

    async def test_names_are_remembered_for_a_day_at_least(self, a: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1", dedupe="m1"))
        await finish_next(a)
        clock.advance(DAY)
        await a.prune(clock.now)
        assert await a.put(NewQueueItem("in", "x", "1", dedupe="m1")) == (None,)

    async def test_what_is_past_its_time_goes_however_much_it_is(self, a: Store, clock: Clock) -> None:
        await a.put(*(NewQueueItem("in", "x", "", dedupe=str(n)) for n in range(1200)))
        await a.cancel("in", "x", 10**9)
        clock.advance(8 * DAY)
        assert await a.prune(clock.now) >= 2400
        assert await a.prune(clock.now) == 0
        assert await a.put(NewQueueItem("in", "x", "", dedupe="7")) != (None,)

    async def test_ids_are_never_used_again(self, a: Store, clock: Clock) -> None:
        (first,) = await a.put(NewQueueItem("in", "x", "1"))
        await finish_next(a)
        clock.advance(8 * DAY)
        await a.prune(clock.now)
        (second,) = await a.put(NewQueueItem("in", "x", "2"))
        assert (second or 0) > (first or 0)
