"""The engine suite on SQLite, and what SQLite alone promises."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from parley.core.model.errors import StoreUnavailable
from parley.core.model.usage import Usage
from parley.core.ports.journal import CounterIncrement, Document, NewQueueItem
from parley.store.interface import Store
from parley.store.retention import DAY, Retention
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.database.schema import STEPS, migrate
from tests.kit.machine import patience
from tests.kit.store.nodes import LEASE, Clock, OpenNode, bodies, claim_one, finish_next
from tests.unit.store.engine.suite import EngineSuite
from tests.unit.store.engine.waiting import WAYS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_node(tmp_path: Path, clock: Clock) -> OpenNode:
    def open_(node: str, database: str) -> AbstractAsyncContextManager[Store]:
        path = tmp_path / f"{database}.db"
        return SqliteStore.open(path, node=node, exclusive=False, lease=LEASE, clock=clock)

    return open_


class TestSqlite(EngineSuite):
    pass


async def test_what_was_put_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "parley.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        await store.set(Document("k", "v", 0))
    async with SqliteStore.open(path) as store:
        assert await finish_next(store) == "1"
        assert (await store.get("k")).body == "v"


async def test_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data" / "parley.db"
    async with SqliteStore.open(path):
        assert path.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0


async def test_alone_leases_never_lapse(tmp_path: Path) -> None:
    clock = Clock()
    async with SqliteStore.open(tmp_path / "p.db", clock=clock) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(store)
        clock.advance(DAY)
        await store.renew()
        assert await store.claim("in", 1) == ()
        await store.done(claim, claim.items)


async def test_alone_what_an_earlier_process_held_is_free_at_once(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db") as store:
        await store.put(NewQueueItem("in", "x", "1"))
    with sqlite3.connect(tmp_path / "p.db") as dead:
        dead.execute("UPDATE lanes SET node = 'dead', ready_at = 9e18, epoch = 4")
    dead.close()
    async with SqliteStore.open(tmp_path / "p.db") as store:
        assert (await claim_one(store)).lane == "x"


@pytest.mark.parametrize("text", ["a\0b", "\0"])
async def test_a_text_with_a_nul_is_kept_whole_in_a_crowd(tmp_path: Path, text: str) -> None:
    crowd = [
        NewQueueItem("in", text, text, dedupe=text),
        *(NewQueueItem("in", "x", f"{number}") for number in range(9)),
    ]
    async with SqliteStore.open(tmp_path / "p.db") as store:
        await asyncio.gather(
            *(store.put(put) for put in crowd), store.put(NewQueueItem("in", "a", "a", dedupe="a"))
        )
        assert bodies(await store.waiting("in", text)) == [text]
        assert bodies(await store.waiting("in", "a")) == ["a"]
        claims = await store.claim("in", 20)
        assert {claim.lane for claim in claims} == {text, "x", "a"}
        await asyncio.gather(*(store.note(claim, claim.items[0].id, claim.lane) for claim in claims))
        for claim in claims:
            await store.done(claim, claim.items)
        assert await store.claim("in", 20) == ()


async def test_a_delayed_item_wakes_at_its_time(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db") as store:
        waiting = asyncio.create_task(store.wait("in", 3600))
        await asyncio.sleep(0)
        await store.put(NewQueueItem("in", "x", "1", delay=0.05))
        await waiting
        assert await finish_next(store) == "1"


@pytest.mark.parametrize("way", WAYS)
async def test_alone_a_lane_that_comes_free_wakes(tmp_path: Path, way: str) -> None:
    async with SqliteStore.open(tmp_path / "p.db") as store:
        await store.put(NewQueueItem("in", "x", "1"), NewQueueItem("in", "x", "2"))
        claim = await claim_one(store)
        waiting = asyncio.create_task(store.wait("in", 3600))
        await store.get("k")  # behind the look of whoever waits
        await WAYS[way](store, claim)
        await waiting


async def test_closing_commits_what_was_handed_over_and_refuses_the_rest(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db") as store:
        putting = asyncio.create_task(store.put(NewQueueItem("in", "x", "1")))
        waiting = asyncio.create_task(store.wait("other", 3600))
        await asyncio.sleep(0)
    await putting
    with pytest.raises(StoreUnavailable):
        await waiting
    with pytest.raises(StoreUnavailable):
        await store.put(NewQueueItem("in", "x", "2"))
    with pytest.raises(StoreUnavailable):
        await store.get("k")
    async with SqliteStore.open(tmp_path / "p.db") as store:
        assert bodies(await store.waiting("in", "x")) == ["1"]


async def test_retention_is_configurable_and_names_outlive_their_items(tmp_path: Path) -> None:
    clock = Clock()
    retention = Retention(finished=60, names=DAY)
    async with SqliteStore.open(tmp_path / "p.db", clock=clock, retention=retention) as store:
        await store.put(NewQueueItem("in", "x", "1", dedupe="m1"))
        await finish_next(store)
        clock.advance(61)
        assert await store.prune(clock.now) == 2  # the item and its empty lane
        assert await store.put(NewQueueItem("in", "x", "1", dedupe="m1")) == (None,)


async def test_maintenance_prunes(tmp_path: Path) -> None:
    clock = Clock()
    async with SqliteStore.open(tmp_path / "p.db", clock=clock) as store, maintained(store):
        await store.put(NewQueueItem("in", "x", "1", dedupe="m1"))
        clock.advance(8 * DAY)
        while await store.put(NewQueueItem("in", "x", "1", dedupe="m1")) == (None,):
            pass


async def test_maintenance_keeps_what_a_node_holds(open_node: OpenNode, clock: Clock) -> None:
    async with open_node("a", "main") as a, open_node("b", "main") as b:
        await a.put(NewQueueItem("in", "x", "1"))
        await claim_one(a)
        clock.advance(10 * LEASE)
        async with maintained(a):
            await a.put(NewQueueItem("in", "x", "2"))  # behind the renewal, in the same thread
        assert await b.claim("in", 1) == ()


@asynccontextmanager
async def maintained(store: Store) -> AsyncIterator[None]:
    upkeep = asyncio.create_task(store.maintain(prune_every=0.01))
    await asyncio.sleep(0)
    yield
    upkeep.cancel()
    await asyncio.wait([upkeep])


async def test_a_loop_that_never_rests_does_not_starve_the_store(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db") as store:
        putting = asyncio.create_task(put_some(store))
        turns = 0
        while not putting.done():
            sum(range(50_000))  # about a millisecond of work, and at once the next
            turns += 1
            await asyncio.sleep(0)
        await putting
    assert turns < patience(1000)  # of a slow disk it waits longer


async def put_some(store: SqliteStore) -> None:
    for n in range(10):
        await store.put(NewQueueItem("in", "x", str(n)))
        await store.get("k")


async def test_a_file_from_before_there_were_counts_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    with sqlite3.connect(path, isolation_level=None) as older:
        migrate(older, path, STEPS[:1])
        older.execute("INSERT INTO documents VALUES ('k', 'v', 1)")
    older.close()
    async with SqliteStore.open(path) as store:
        assert (await store.get("k")).body == "v"
        assert await store.tally([CounterIncrement("x", 9e9, Usage(turns=1))])
        assert await store.counted(["x"]) == (Usage(turns=1),)


async def test_what_is_asked_together_is_answered_each_for_itself(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await store.set(Document("known", "here", 0))
        asked = [store.get("\ud800" if n % 3 == 1 else "known") for n in range(300)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        abandoned = asyncio.create_task(store.get("known"))
        await asyncio.sleep(0)
        abandoned.cancel()
        assert (await store.get("known")).body == "here"
    for n, answer in enumerate(answers):
        assert isinstance(answer, ValueError if n % 3 == 1 else Document)


async def test_what_was_asked_is_answered_before_it_closes_and_nothing_afterwards(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        asked = [asyncio.create_task(store.get("absent")) for _ in range(50)]
        await asyncio.sleep(0)
    assert {(await each).version for each in asked} == {0}
    with pytest.raises(StoreUnavailable):
        await store.get("absent")
