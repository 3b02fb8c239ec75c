"""Lanes: order, one holder, dedupe, delay, finishing, giving back."""

from __future__ import annotations

import pytest

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import Clock, bodies, claim_one, finish_next


class LanePromises:
    async def test_ids_grow_in_the_order_of_acceptance(self, a: Store) -> None:
        first = await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "y", "2"))
        second = await a.put(NewQueueItem("in", "x", "3"))
        ids = [*first, *second]
        assert ids == sorted(item for item in ids if item)
        assert len(set(ids)) == 3

    async def test_putting_nothing_is_no_error(self, a: Store) -> None:
        assert await a.put() == ()

    async def test_a_claim_brings_the_waiting_items_in_order(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(5)))
        assert bodies((await claim_one(a)).items) == ["0", "1", "2", "3", "4"]

    async def test_a_claim_brings_a_bounded_number_of_items(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(250)))
        items = (await claim_one(a)).items
        assert bodies(items) == [str(n) for n in range(len(items))]
        assert len(items) <= 100

    async def test_a_held_lane_is_claimed_by_nobody(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await claim_one(a)
        await b.put(NewQueueItem("in", "x", "2"))
        assert await a.claim("in", 10) == await b.claim("in", 10) == ()

    async def test_lanes_do_not_wait_for_each_other(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "y", "2"))
        held = {(await store.claim("in", 1))[0].lane for store in (a, b)}
        assert held == {"x", "y"}

    async def test_queues_do_not_mix(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("out", "x", "2"))
        assert bodies((await claim_one(a, "out")).items) == ["2"]
        assert bodies((await claim_one(a, "in")).items) == ["1"]

    async def test_the_longest_waiting_lane_comes_first(self, a: Store, clock: Clock) -> None:
        for lane in ("x", "y", "z"):
            await a.put(NewQueueItem("in", lane, lane))
            clock.advance(1)
        assert [claim.lane for claim in await a.claim("in", 2)] == ["x", "y"]

    async def test_no_more_lanes_are_claimed_than_asked_for(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", str(n), "") for n in range(5)))
        assert len(await a.claim("in", 0)) == 0
        assert len(await a.claim("in", 3)) == 3
        assert len(await a.claim("in", 3)) == 2

    async def test_finishing_frees_the_lane_for_the_next_item(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(3)))
        assert [await finish_next(a) for _ in range(3)] == ["0", "1", "2"]
        assert await a.claim("in", 10) == ()

    async def test_several_items_finish_together(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(3)))
        claim = await claim_one(a)
        await a.done(claim, claim.items[:2], note="merged")
        assert bodies(await a.waiting("in", "x")) == ["2"]

    async def test_a_known_name_is_put_once(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1", dedupe="m1"))
        assert await b.put(NewQueueItem("in", "y", "again", dedupe="m1")) == (None,)
        await finish_next(a)
        assert await a.put(NewQueueItem("in", "x", "late", dedupe="m1")) == (None,)
        assert await a.waiting("in", "y") == ()

    async def test_names_belong_to_their_queue_and_no_name_equals_none(self, a: Store) -> None:
        puts = [
            NewQueueItem("in", "x", "1", dedupe="m1"),
            NewQueueItem("out", "x", "1", dedupe="m1"),
            NewQueueItem("in", "x", ""),
            NewQueueItem("in", "x", ""),
        ]
        assert None not in await a.put(*puts)

    async def test_a_name_twice_in_one_put_counts_once(self, a: Store) -> None:
        item, again = await a.put(
            NewQueueItem("in", "x", "1", dedupe="m"), NewQueueItem("in", "x", "2", dedupe="m")
        )
        assert item is not None
        assert again is None

    async def test_a_delayed_item_is_claimed_when_it_is_due(self, a: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1", delay=10))
        assert await a.claim("in", 10) == ()
        clock.advance(10)
        assert await finish_next(a) == "1"

    async def test_nothing_overtakes_a_delayed_item_in_its_lane(self, a: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1", delay=10))
        await a.put(NewQueueItem("in", "x", "2"))
        assert await a.claim("in", 10) == ()
        clock.advance(10)
        assert bodies((await claim_one(a)).items) == ["1", "2"]

    async def test_a_claim_stops_before_the_first_item_that_is_not_due(self, a: Store) -> None:
        await a.put(
            NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2", delay=10), NewQueueItem("in", "x", "3")
        )
        assert bodies((await claim_one(a)).items) == ["1"]

    async def test_waiting_shows_items_whoever_holds_them(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2", delay=10))
        await claim_one(a)
        assert bodies(await b.waiting("in", "x")) == ["1", "2"]

    async def test_an_item_tells_its_story(self, a: Store, clock: Clock) -> None:
        (item,) = await a.put(NewQueueItem("in", "x", "text"))
        (claimed,) = (await claim_one(a)).items
        assert (claimed.id, claimed.queue, claimed.lane, claimed.body) == (item, "in", "x", "text")
        assert (claimed.note, claimed.attempts, claimed.put_at) == ("", 0, clock.now)

    async def test_a_note_comes_back_with_the_item(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "half")
        await a.note(claim, claim.items[0].id, "most")
        await a.release(claim)
        assert (await claim_one(a)).items[0].note == "most"

    async def test_an_item_that_came_after_the_claim_can_be_noted_and_finished(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.put(NewQueueItem("in", "x", "2"))
        items = await a.waiting("in", "x")
        await a.note(claim, items[1].id, "merged")
        await a.done(claim, items)
        assert await a.waiting("in", "x") == ()

    async def test_release_changes_nothing_else(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.release(claim)
        again = await claim_one(b)
        assert again.items == claim.items
        assert again.epoch != claim.epoch

    async def test_retry_counts_an_attempt_and_holds_the_whole_lane_back(
        self, a: Store, clock: Clock
    ) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        await a.retry(await claim_one(a), 5)
        await a.put(NewQueueItem("in", "x", "3"))
        assert await a.claim("in", 10) == ()
        clock.advance(5)
        items = (await claim_one(a)).items
        assert [(item.body, item.attempts) for item in items] == [("1", 1), ("2", 0), ("3", 0)]

    async def test_done_adds_follow_ups_after_what_waits(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.done(
            claim, claim.items[:1], puts=[NewQueueItem("out", "x", "reply"), NewQueueItem("in", "x", "3")]
        )
        assert bodies(await a.waiting("out", "x")) == ["reply"]
        assert bodies((await claim_one(a)).items) == ["2", "3"]

    async def test_a_finished_claim_is_void(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.done(claim, claim.items[:1])
        with pytest.raises(LaneLost):
            await a.done(claim, claim.items[1:])
        assert bodies(await a.waiting("in", "x")) == ["2"]

    async def test_done_without_items_frees_the_lane_and_adds(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        await a.done(await claim_one(a), [], puts=[NewQueueItem("out", "x", "note")])
        assert bodies((await claim_one(a)).items) == ["1"]
        assert bodies(await a.waiting("out", "x")) == ["note"]

    async def test_cancel_takes_back_what_nobody_began(self, a: Store) -> None:
        ids = await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(4)))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "running")
        assert bodies(await a.cancel("in", "x", ids[3] or 0)) == ["1", "2"]
        assert bodies(await a.waiting("in", "x")) == ["0", "3"]

    async def test_cancelling_the_head_lets_the_next_item_run(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "late", delay=100))
        (second,) = await a.put(NewQueueItem("in", "x", "now"))
        await a.cancel("in", "x", second or 0)
        assert await finish_next(a) == "now"

    async def test_a_cancelled_item_cannot_be_begun_and_its_lane_is_free(self, a: Store) -> None:
        (first, second) = await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.cancel("in", "x", second or 0)
        with pytest.raises(LaneLost):
            await a.note(claim, first or 0, "running")
        assert await finish_next(a) == "2"

    async def test_finishing_only_cancelled_items_does_nothing_but_free_the_lane(self, a: Store) -> None:
        (_first, second) = await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.cancel("in", "x", second or 0)
        with pytest.raises(LaneLost):
            await a.done(claim, claim.items[:1], puts=[NewQueueItem("out", "x", "reply")])
        assert await a.waiting("out", "x") == ()
        assert await finish_next(a) == "2"

    async def test_one_item_is_withdrawn_and_no_other(self, a: Store) -> None:
        ids = await a.put(*(NewQueueItem("in", "x", str(n)) for n in range(3)))
        assert await a.withdraw("in", "x", ids[1] or 0)
        assert not await a.withdraw("in", "x", ids[1] or 0)
        assert not await a.withdraw("in", "y", ids[2] or 0)
        assert bodies(await a.waiting("in", "x")) == ["0", "2"]

    async def test_nobody_withdraws_what_is_begun_and_nobody_begins_what_is_withdrawn(self, a: Store) -> None:
        (first, second) = await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.note(claim, first or 0, "running")
        assert not await a.withdraw("in", "x", first or 0)
        assert await a.withdraw("in", "x", second or 0)
        with pytest.raises(LaneLost):
            await a.note(claim, second or 0, "running")

    async def test_a_withdrawn_head_lets_the_next_item_run(self, a: Store) -> None:
        (first,) = await a.put(NewQueueItem("in", "x", "late", delay=100))
        await a.put(NewQueueItem("in", "x", "now"))
        assert await a.withdraw("in", "x", first or 0)
        assert await finish_next(a) == "now"

    async def test_any_text_survives(self, a: Store) -> None:
        body = "näive 你好 🦜 \u2028 " + "x" * 100_000
        await a.put(NewQueueItem("in", "telegram:%3A 🦜", body, dedupe="🦜"))
        (claim,) = await a.claim("in", 1)
        assert claim.lane == "telegram:%3A 🦜"
        assert claim.items[0].body == body

    async def test_half_a_character_is_refused_and_harms_nobody(self, a: Store) -> None:
        with pytest.raises(ValueError, match="surrogate"):
            await a.put(NewQueueItem("in", "x", "fine"), NewQueueItem("in", "x", "\ud83d"))
        await a.put(NewQueueItem("in", "x", "next"))
        assert bodies(await a.waiting("in", "x")) == ["next"]
