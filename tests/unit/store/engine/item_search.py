"""Everything that the store has: looked through, and removed for good."""

from __future__ import annotations

from parley.core.ports.journal import NewQueueItem
from parley.core.ports.store_admin import ItemState, StoredItem
from parley.store.interface import Store
from parley.store.retention import DAY
from tests.kit.store.nodes import Clock, bodies, claim_one, finish_next


async def found(store: Store, *words: str) -> list[StoredItem]:
    """All slices together."""
    kept: list[StoredItem] = []
    after, more = 0, True
    while more:
        some = await store.search(words, (), after)
        kept += some.items
        after, more = some.after, some.more
    return kept


class ArchivePromises:
    async def test_a_search_finds_what_has_a_word_whatever_became_of_it(self, a: Store) -> None:
        await a.put(*(NewQueueItem("in", "x", f"{n} ann") for n in range(4)), NewQueueItem("out", "y", "bob"))
        await finish_next(a)
        claim = await claim_one(a)
        await a.bury(claim, claim.items[:1], "no model")
        await a.put(NewQueueItem("in", "z", "ann too"))
        await a.cancel("in", "z", 10**9)
        kept = await found(a, "ann", "carl")
        assert [(each.item.body, each.fate) for each in kept] == [
            ("0 ann", ItemState.DONE),
            ("1 ann", ItemState.DEAD),
            ("2 ann", ItemState.WAITING),
            ("3 ann", ItemState.WAITING),
            ("ann too", ItemState.CANCELLED),
        ]
        assert kept[1].reason == "no model"
        assert await found(a) == []

    async def test_a_search_finds_whole_lanes_of_every_queue(self, a: Store) -> None:
        await a.put(
            NewQueueItem("in", "x", "1"),
            NewQueueItem("out", "x", "2"),
            NewQueueItem("in", "xy", "3"),
            NewQueueItem("in", "y", "x"),
        )
        assert bodies(kept.item for kept in (await a.search((), ("x", "z"))).items) == ["1", "2"]

    async def test_words_are_taken_letter_by_letter(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "a_n 100% A"), NewQueueItem("in", "x", "abn 1000 a"))
        assert bodies(kept.item for kept in await found(a, "a_n", "100%")) == ["a_n 100% A"]
        assert bodies(kept.item for kept in await found(a, " A")) == ["a_n 100% A"]

    async def test_a_long_store_is_searched_to_its_end(self, a: Store) -> None:
        await a.put(
            *(NewQueueItem("in", str(n % 7), f"{n} {'ann' if n % 1000 == 999 else ''}") for n in range(5000))
        )
        assert [kept.item.body for kept in await found(a, "ann")] == [f"{n}999 ann" for n in ("", 1, 2, 3, 4)]

    async def test_what_is_removed_is_gone_and_its_lane_goes_on(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1", delay=1000), NewQueueItem("in", "x", "2"))
        assert not await a.claim("in", 10)
        (first, _) = await a.waiting("in", "x")
        assert await a.remove([first.id, 10**9]) == (first.id,)
        assert await finish_next(a) == "2"
        (done,) = await found(a, "2")
        assert await a.remove([done.item.id]) == (done.item.id,)
        assert await found(a, "1", "2") == []

    async def test_an_item_that_is_being_worked_is_not_removed(self, a: Store, b: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "run 7")
        kept = await found(b, "1", "2")
        assert [each.in_hand for each in kept] == [True, False]
        assert await b.remove([item.id for item in claim.items]) == (claim.items[1].id,)
        await a.done(claim, claim.items)
        assert await b.remove([claim.items[0].id]) == (claim.items[0].id,)

    async def test_what_a_dead_node_had_in_hand_can_be_removed(
        self, a: Store, b: Store, clock: Clock
    ) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.note(claim, claim.items[0].id, "run 7")
        clock.advance(60)
        assert not (await found(b, "1"))[0].in_hand
        assert await b.remove([claim.items[0].id]) == (claim.items[0].id,)
        assert await found(b, "1") == []

    async def test_a_removed_message_is_still_known_by_its_name(self, a: Store) -> None:
        (item,) = await a.put(NewQueueItem("in", "x", "1", dedupe="m1"))
        await a.remove([item or 0])
        assert await a.put(NewQueueItem("in", "x", "1", dedupe="m1")) == (None,)

    async def test_dead_letters_stay_unless_a_time_is_set(self, a: Store, clock: Clock) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(a)
        await a.bury(claim, claim.items, "no model")
        clock.advance(3000 * DAY)
        await a.prune(clock.now)
        assert bodies(await a.dead()) == ["1"]
