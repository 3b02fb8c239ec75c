"""Checkpoints on PostgreSQL: what was saved last is newest, and nothing stays that nobody can go back to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from parley.server.storage.interface import PostgresPlace, Storage
from parley.server.storage.postgres.database import DatabaseAway
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

LATER, EARLIER, EARLIEST = "1f1e60d0-0000", "1f1e60c1-0000", "1f1e60b0-0000"


@pytest.fixture
async def storage(place: PostgresPlace) -> AsyncIterator[Storage]:
    # It is not to find out by itself, in the middle of a test, that it counts as dead.
    async with open_postgres(replace(place, lease=3600.0), no_index) as opened:
        yield opened


def of(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", "memory": "likes tea"}}


async def save(storage: Storage, *ids: str, thread: str = "t") -> None:
    saver = storage.checkpoints.saver
    for each in ids:
        made: Any = {**empty_checkpoint(), "id": each, "channel_values": {"m": [each]}}
        made["channel_versions"] = {"m": each}
        config = await saver.aput(of(thread), made, {"run_id": f"run of {each}"}, {"m": each})
        await saver.aput_writes(config, [("m", each)], f"task of {each}")


async def newest(storage: Storage, thread: str = "t") -> tuple[str, object]:
    found = await storage.checkpoints.saver.aget_tuple(of(thread))
    return ("", None) if found is None else (found.checkpoint["id"], found.checkpoint["channel_values"])


async def left(storage: Storage, thread: str = "t") -> list[object]:
    tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
    count = "SELECT count(*) FROM {} WHERE thread_id = ?"
    return [(await storage.database.read(count.format(each), (thread,)))[0][0] for each in tables]


async def test_what_was_saved_last_is_newest_although_its_servers_clock_is_behind(storage: Storage) -> None:
    await save(storage, LATER, EARLIER)
    assert await newest(storage) == (EARLIER, {"m": [EARLIER]})
    assert (await storage.checkpoints.mark("t")).checkpoint == EARLIER
    assert await storage.checkpoints.taken_by("t", f"run of {EARLIER}")
    assert not await storage.checkpoints.taken_by("t", f"run of {LATER}")
    kept = await storage.database.read("SELECT metadata FROM checkpoints")
    assert "tea" not in str(kept), "what a run is told about a person is not kept"


async def test_rolling_back_undoes_what_was_saved_since_with_its_values(storage: Storage) -> None:
    await save(storage, LATER)
    mark = await storage.checkpoints.mark("t")
    await save(storage, EARLIER, EARLIEST)
    await save(storage, EARLIEST, thread="another")
    await storage.checkpoints.rollback("t", mark)
    assert await newest(storage) == (LATER, {"m": [LATER]})
    assert await left(storage) == [1, 1, 1]
    assert await left(storage, "another") == [1, 1, 1]


async def test_pruning_keeps_what_was_saved_last_and_a_copy_has_it_all(storage: Storage) -> None:
    await save(storage, LATER, EARLIEST, EARLIER)
    await storage.database.write(*storage.checkpoints.copy("t", "copy"))
    await storage.database.write(*storage.checkpoints.keep_newest(["t"], 2))
    assert await left(storage) == [2, 2, 2]
    assert await newest(storage) == (EARLIER, {"m": [EARLIER]})
    assert await left(storage, "copy") == [3, 3, 3]
    assert await newest(storage, "copy") == (EARLIER, {"m": [EARLIER]})


async def test_a_server_that_others_have_buried_writes_nothing(
    storage: Storage, place: PostgresPlace
) -> None:
    await save(storage, LATER)
    with psycopg.connect(place.url, autocommit=True) as connection:
        connection.execute(f"DELETE FROM {place.schema}.nodes".encode())
    with pytest.raises(DatabaseAway, match="away for longer than its lease"):
        await save(storage, EARLIER)
    with pytest.raises(DatabaseAway):
        await storage.items.aput(("people",), "ada", {"likes": "tea"})
    assert await newest(storage) == (LATER, {"m": [LATER]})
