"""Slots: one waiting item, the newest body, debounce with a bound."""

from __future__ import annotations

import pytest

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import Clock, bodies, claim_one


def update(body: str, delay: float = 30, max_wait: float = 120) -> NewQueueItem:
    return NewQueueItem("memory", "ann", body, delay=delay, slot="t1", max_wait=max_wait)


class SlotPromises:
    async def test_a_later_put_replaces_the_body_and_waits_again(self, a: Store, clock: Clock) -> None:
        first = await a.put(update("1"))
        clock.advance(20)
        assert await a.put(update("2")) == first
        clock.advance(20)
        assert await a.claim("memory", 1) == ()
        clock.advance(10)
        (item,) = (await claim_one(a, "memory")).items
        assert (item.body, item.version) == ("2", 2)

    async def test_replacing_never_passes_the_longest_wait(self, a: Store, clock: Clock) -> None:
        for n in range(6):
            await a.put(update(str(n)))
            clock.advance(20)
        assert bodies((await claim_one(a, "memory")).items) == ["5"]

    async def test_a_bound_below_the_delay_is_kept_from_the_first_put(self, a: Store, clock: Clock) -> None:
        await a.put(update("1", delay=30, max_wait=10))
        clock.advance(10)
        assert bodies((await claim_one(a, "memory")).items) == ["1"]

    async def test_without_a_bound_replacing_may_go_on(self, a: Store, clock: Clock) -> None:
        for n in range(20):
            await a.put(update(str(n), max_wait=0))
            clock.advance(20)
        assert await a.claim("memory", 1) == ()

    async def test_a_put_without_delay_makes_the_slot_due_now(self, a: Store) -> None:
        await a.put(update("1"))
        await a.put(update("2", delay=0))
        assert bodies((await claim_one(a, "memory")).items) == ["2"]

    async def test_slots_of_one_lane_are_items_of_their_own(self, a: Store, clock: Clock) -> None:
        await a.put(update("1"), NewQueueItem("memory", "ann", "other", delay=30, slot="t2"))
        clock.advance(30)
        assert bodies((await claim_one(a, "memory")).items) == ["1", "other"]

    async def test_an_item_replaced_while_it_ran_stays_waiting(self, a: Store, clock: Clock) -> None:
        await a.put(update("1", delay=0))
        claim = await claim_one(a, "memory")
        clock.advance(500)
        await a.renew()
        await a.put(update("2"))
        await a.done(claim, claim.items)
        assert bodies(await a.waiting("memory", "ann")) == ["2"]
        assert await a.claim("memory", 1) == ()  # what came while it ran begins a wait of its own
        clock.advance(30)
        (item,) = (await claim_one(a, "memory")).items
        assert (item.body, item.version) == ("2", 2)

    async def test_a_stream_of_puts_while_it_runs_is_bounded_too(self, a: Store, clock: Clock) -> None:
        await a.put(update("0", delay=0))
        claim = await claim_one(a, "memory")
        for n in range(1, 7):
            await a.put(update(str(n)))
            clock.advance(20)
            await a.renew()
        await a.done(claim, claim.items)
        assert bodies((await claim_one(a, "memory")).items) == ["6"]

    async def test_a_new_body_begins_without_the_old_ones_note(self, a: Store) -> None:
        await a.put(update("1", delay=0))
        claim = await claim_one(a, "memory")
        await a.note(claim, claim.items[0].id, "half of 1")
        await a.put(update("2", delay=0))
        await a.release(claim)
        (item,) = (await claim_one(a, "memory")).items
        assert (item.body, item.note) == ("2", "")

    async def test_a_note_on_the_old_body_is_not_taken_for_the_new_one(self, a: Store) -> None:
        await a.put(update("1", delay=0))
        claim = await claim_one(a, "memory")
        await a.put(update("2", delay=0))
        await a.note(claim, claim.items[0].id, "half of 1")
        await a.release(claim)
        (item,) = (await claim_one(a, "memory")).items
        assert (item.body, item.note) == ("2", "")

    async def test_burying_the_old_body_keeps_the_new_one_waiting(self, a: Store) -> None:
        await a.put(update("1", delay=0))
        claim = await claim_one(a, "memory")
        await a.put(update("2", delay=0))
        await a.bury(claim, claim.items[:1], "gave up")
        assert bodies((await claim_one(a, "memory")).items) == ["2"]
        assert await a.dead() == ()

    async def test_replacing_does_not_cut_a_back_off_short(self, a: Store, clock: Clock) -> None:
        await a.put(update("1", delay=0))
        await a.retry(await claim_one(a, "memory"), 60)
        await a.put(update("2", delay=0))
        assert await a.claim("memory", 1) == ()
        clock.advance(60)
        (item,) = (await claim_one(a, "memory")).items
        assert (item.body, item.attempts) == ("2", 1)

    async def test_a_finished_slot_is_free(self, a: Store) -> None:
        first = await a.put(update("1", delay=0))
        claim = await claim_one(a, "memory")
        await a.done(claim, claim.items)
        assert await a.put(update("2")) != first

    async def test_cancelling_empties_the_slot(self, a: Store) -> None:
        (item,) = await a.put(update("1", delay=0))
        claim = await claim_one(a, "memory")
        await a.cancel("memory", "ann", (item or 0) + 1)
        await a.put(update("2", delay=0))
        with pytest.raises(LaneLost):
            await a.done(claim, claim.items)
        assert bodies((await claim_one(a, "memory")).items) == ["2"]

    async def test_a_known_name_does_not_replace(self, a: Store) -> None:
        await a.put(NewQueueItem("memory", "ann", "1", slot="t1", dedupe="m1"))
        await a.put(NewQueueItem("memory", "ann", "2", slot="t1", dedupe="m2"))
        assert await a.put(NewQueueItem("memory", "ann", "1", slot="t1", dedupe="m1")) == (None,)
        assert bodies(await a.waiting("memory", "ann")) == ["2"]
