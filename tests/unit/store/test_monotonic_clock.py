"""A clock that is put back, as daylight, batteries and time servers do it, holds up nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.core.ports.journal import NewQueueItem
from parley.store.sqlite import SqliteStore
from tests.kit.store.nodes import Clock, claim_one, finish_next

_BACK = 3600.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parley.db"


async def test_what_was_due_stays_due(path: Path, clock: Clock) -> None:
    async with SqliteStore.open(path, clock=clock) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        clock.advance(-_BACK)
        assert await finish_next(store) == "1"


async def test_what_was_due_stays_due_for_the_next_process(path: Path, clock: Clock) -> None:
    async with SqliteStore.open(path, clock=clock) as store:
        await store.put(NewQueueItem("in", "x", "1"))
    clock.advance(-_BACK)
    async with SqliteStore.open(path, clock=clock) as store:
        assert await finish_next(store) == "1"


async def test_what_waits_a_second_waits_one(path: Path, clock: Clock) -> None:
    async with SqliteStore.open(path, clock=clock) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        await store.retry(await claim_one(store), 1)
        clock.advance(-_BACK)
        assert await store.claim("in", 1) == ()
        clock.advance(1)
        assert await finish_next(store) == "1"


async def test_a_clock_put_forward_is_believed(path: Path, clock: Clock) -> None:
    async with SqliteStore.open(path, clock=clock) as store:
        await store.put(NewQueueItem("in", "x", "1", delay=60))
        clock.advance(_BACK)
        assert await finish_next(store) == "1"
