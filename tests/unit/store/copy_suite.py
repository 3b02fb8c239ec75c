"""What copying promises, whichever engines stand on its two sides.

A test module offers the fixtures `old` and `new`, two places, and `clock`, which their stores go by.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings

from parley.core.model.errors import StoreUnavailable
from parley.core.model.usage import Usage
from parley.core.ports.journal import CounterIncrement, Document, NewQueueItem
from parley.store.buckets import bucket_of
from parley.store.interface import Store
from parley.store.rows import Row
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.copy_endpoint import open_sqlite_endpoint
from parley.store.store_copy import TABLES, CopyCounts, CopyEndpoint, SequenceState, copy_store
from tests.kit.store.nodes import Clock, bodies, claim_one, finish_next
from tests.unit.store.engine.feedback_index import rate, rating, whose
from tests.unit.store.engine.random_schedules import LANES, Action, Run, actions


@dataclass(frozen=True)
class Place:
    """A store to work with, by a node's name, and to copy; `fresh` is another one of its kind."""

    opened: Callable[[str], AbstractAsyncContextManager[Store]]
    side: Callable[[], AbstractAsyncContextManager[CopyEndpoint]]
    fresh: Callable[[], Place]


async def move(old: Place, new: Place) -> CopyCounts:
    async with old.side() as source, new.side() as target:
        return await copy_store(source, target, lambda table, done, total: None)


async def contents(place: Place) -> tuple[dict[str, list[Row]], SequenceState]:
    async with place.side() as side:
        tables = {
            table.name: [tuple(row) async for page in side.rows(table) for row in page] for table in TABLES
        }
        return tables, await side.counters()


async def fill(store: Store, clock: Clock) -> None:
    """Something of every kind."""
    await store.put(*(NewQueueItem("in", "x", f"message {n}", dedupe=f"m{n}") for n in range(4)))
    await finish_next(store)
    claim = await claim_one(store)
    await store.note(claim, claim.items[0].id, "half done")
    await store.retry(claim, 60)
    await store.put(NewQueueItem("memory", "ann", "1", slot="t1", delay=30, max_wait=120))
    clock.advance(10)
    await store.put(NewQueueItem("memory", "ann", "2", slot="t1", delay=30, max_wait=120))
    await store.put(
        NewQueueItem("dying", "x", "poison \U0001f99c 张三\n\\\t\"'"), NewQueueItem("dying", "x", "after it")
    )
    doomed = await claim_one(store, "dying")
    await store.bury(doomed, doomed.items[:1], "no cure")
    (_, last) = await store.put(NewQueueItem("out", "y", "kept"), NewQueueItem("out", "z", "cancelled"))
    await store.cancel("out", "z", (last or 0) + 1)
    first = await store.set(Document("k/1", "one", 0))
    await store.set(Document("k/1", "two", first.version))
    await store.set(Document("gone", "soon", 0))
    await store.delete("gone")


class CopyPromises:
    async def test_names_are_kept_and_copied_with_the_bucket_of_their_lane(
        self, old: Place, new: Place
    ) -> None:
        lanes = ["web:a", "slack:C1:1.2", "test:\u732b", "person/1"]
        async with old.opened("a") as store:
            await store.put(NewQueueItem("in", lanes[0], "", dedupe="alone"))
            await store.put(*(NewQueueItem("in", lane, "", dedupe=f"of {lane}") for lane in lanes))
            await store.put(NewQueueItem("out", lanes[1], "", slot="one", dedupe="slotted"))
            await store.put(NewQueueItem("in", lanes[2], "", dedupe="alone"))  # known: nothing changes
            await store.tally((CounterIncrement("turns", 2e9, Usage(turns=1)),), once="counted")
        expected: dict[str, int | None] = {f"of {lane}": bucket_of(lane) for lane in lanes}
        expected |= {"alone": bucket_of(lanes[0]), "slotted": bucket_of(lanes[1]), "counted": None}
        await move(old, new)
        for place in (old, new):
            tables, _ = await contents(place)
            assert {name: bucket for _, name, _, bucket in tables["names"]} == expected

    async def test_everything_arrives_as_it_was(self, old: Place, new: Place, clock: Clock) -> None:
        async with old.opened("a") as store:
            await fill(store, clock)
        before = await contents(old)
        counts = await move(old, new)
        assert counts == CopyCounts(waiting=6, finished=1, dead=1, cancelled=1, names=4, documents=1)
        after = await contents(new)
        assert after == before
        assert await contents(old) == before

    async def test_work_goes_on_where_it_stood(self, old: Place, new: Place, clock: Clock) -> None:
        async with old.opened("a") as store:
            await fill(store, clock)
            before = await store.waiting("in", "x")
            dead = await store.dead()
        await move(old, new)
        async with new.opened("b") as store:
            assert await store.waiting("in", "x") == before
            assert await store.dead() == dead
            assert await store.put(NewQueueItem("in", "x", "again", dedupe="m0")) == (None,)
            assert await store.claim("in", 10) == ()  # its back-off still holds
            clock.advance(60)
            assert bodies((await claim_one(store, "memory")).items) == ["2"]
            assert (await claim_one(store)).items[0].note == "half done"
            assert await store.revive(dead[0].id)
            assert bodies(await store.waiting("dying", "x")) == [dead[0].body, "after it"]

    async def test_feedback_is_listed_in_either(self, old: Place, new: Place) -> None:
        async with old.opened("a") as store:
            for who, at in (("ann", 20), ("bob", 30), ("cid", 10)):
                await rate(store, rating(who, at))
        await move(old, new)
        async with new.opened("b") as store:
            assert await whose(store) == ["bob", "ann", "cid"]
            assert await whose(store, since=15, most=1) == ["bob"]

    async def test_no_number_comes_twice(self, old: Place, new: Place, clock: Clock) -> None:
        async with old.opened("a") as store:
            (highest,) = await store.put(NewQueueItem("in", "x", "1"))
            await finish_next(store)
            clock.advance(1e9)
            await store.prune(clock.now)
            gone = await store.set(Document("k", "v", 0))
            await store.delete("k")
        await move(old, new)
        async with new.opened("b") as store:
            (item,) = await store.put(NewQueueItem("in", "x", "2"))
            assert (item or 0) > (highest or 0)
            assert (await store.set(Document("k", "w", 0))).version > gone.version

    async def test_back_again_it_is_the_same(self, old: Place, new: Place, clock: Clock) -> None:
        async with old.opened("a") as store:
            await fill(store, clock)
        before = await contents(old)
        await move(old, new)
        third = old.fresh()
        await move(new, third)
        assert await contents(third) == before

    def test_after_any_history_order_and_once_hold(self, old: Place, new: Place, clock: Clock) -> None:
        @settings(max_examples=10, deadline=None)
        @given(schedule=actions)
        def holds(schedule: list[Action]) -> None:
            asyncio.run(self.play(old.fresh(), new.fresh(), clock, schedule))

        holds()

    async def play(self, old: Place, new: Place, clock: Clock, schedule: list[Action]) -> None:
        async with old.opened("a") as store:
            run = Run((store, store), clock)
            for action in schedule:
                await run.act(*action)
        before = await contents(old)
        await move(old, new)
        assert await contents(new) == before
        async with new.opened("b") as store:
            run.stores = (store, store)
            await run.drain()
            assert run.finished == run.put
            for lane in LANES:
                assert bodies(await store.waiting("out", lane)) == run.put[lane]

    async def test_a_target_that_has_anything_is_refused(self, old: Place, new: Place) -> None:
        async with old.opened("a") as store:
            await store.put(NewQueueItem("in", "x", "1"))
        async with new.opened("b") as store:
            await store.set(Document("mine", "v", 0))
        before = await contents(new)
        with pytest.raises(StoreUnavailable, match=r"is not empty.* 1 documents"):
            await move(old, new)
        assert await contents(new) == before

    async def test_a_store_in_use_is_refused_as_source_and_as_target(self, old: Place, new: Place) -> None:
        async with old.opened("a") as store:
            await store.renew()
            with pytest.raises(StoreUnavailable, match=r"in use|already running"):
                await move(old, new)
            with pytest.raises(StoreUnavailable, match=r"in use|already running"):
                await move(new, old)
        await move(old, new)

    async def test_a_copy_that_fails_leaves_the_target_empty(self, old: Place, new: Place) -> None:
        async with old.opened("a") as store:
            await store.put(*(NewQueueItem("in", str(n), "") for n in range(3)))

        def fail(table: str, done: int, total: int) -> None:
            raise StoreUnavailable(f"{table} {done} {total}")

        with pytest.raises(StoreUnavailable, match="items 3 3"):
            async with old.side() as source, new.side() as target:
                await copy_store(source, target, fail)
        async with new.side() as side:
            assert await side.counts() == CopyCounts()


numbers = count()


def file_place(folder: Path, clock: Clock) -> Place:
    path = folder / f"place{next(numbers)}.db"
    return Place(
        lambda node: SqliteStore.open(path, node=node, clock=clock),
        lambda: open_sqlite_endpoint(path, new=True),
        lambda: file_place(folder, clock),
    )
