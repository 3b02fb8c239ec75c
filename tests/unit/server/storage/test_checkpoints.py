"""Checkpoints: what was saved last is newest, whatever the clock said; undoing and pruning go by that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from parley.server.storage.sqlite.checkpoints import SqliteCheckpoints
from parley.server.storage.sqlite.database import SqliteDatabase, open_database

LATER, EARLIER, EARLIEST = "1f1e60d0-0000", "1f1e60c1-0000", "1f1e60b0-0000"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with open_database(tmp_path / "db") as database:
        yield database


@pytest.fixture
async def checkpoints(database: SqliteDatabase) -> SqliteCheckpoints:
    saver = SqliteCheckpoints(database)
    await saver.setup()
    return saver


def of(thread: str, checkpoint: str = "") -> RunnableConfig:
    named = {"checkpoint_id": checkpoint} if checkpoint else {}
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **named}}


async def save(saver: SqliteCheckpoints, *ids: str, thread: str = "t") -> None:
    for each in ids:
        config = await saver.aput(of(thread), {**empty_checkpoint(), "id": each}, {}, {})
        await saver.aput_writes(config, [("messages", each)], f"task of {each}")


async def newest(saver: SqliteCheckpoints, thread: str = "t") -> str:
    found = await saver.aget_tuple(of(thread))
    return "" if found is None else found.checkpoint["id"]


async def test_what_was_saved_last_is_newest_after_the_clock_was_set_back(
    checkpoints: SqliteCheckpoints,
) -> None:
    await save(checkpoints, LATER, EARLIER)
    found = await checkpoints.aget_tuple(of("t"))
    assert found is not None
    assert found.checkpoint["id"] == EARLIER
    assert found.config == of("t", EARLIER)
    assert [value for _, _, value in found.pending_writes or ()] == [EARLIER]
    assert (await checkpoints.mark("t")).checkpoint == EARLIER


async def test_one_that_is_named_is_found_and_an_empty_thread_has_none(
    checkpoints: SqliteCheckpoints,
) -> None:
    await save(checkpoints, LATER, EARLIER)
    found = await checkpoints.aget_tuple(of("t", LATER))
    assert found is not None
    assert found.checkpoint["id"] == LATER
    assert await newest(checkpoints, "another") == ""


async def test_rolling_back_undoes_what_was_saved_since(
    checkpoints: SqliteCheckpoints, database: SqliteDatabase
) -> None:
    await save(checkpoints, LATER)
    mark = await checkpoints.mark("t")
    await save(checkpoints, EARLIER, EARLIEST)
    await save(checkpoints, EARLIEST, thread="another")
    await checkpoints.rollback("t", mark)
    assert await newest(checkpoints) == LATER
    assert await newest(checkpoints, "another") == EARLIEST
    kept = await database.read("SELECT checkpoint_id FROM writes WHERE thread_id = 't'")
    assert kept == [(LATER,)]


async def test_rolling_back_to_nothing_leaves_nothing(
    checkpoints: SqliteCheckpoints, database: SqliteDatabase
) -> None:
    mark = await checkpoints.mark("t")
    await save(checkpoints, LATER, EARLIER)
    await checkpoints.rollback("t", mark)
    assert await newest(checkpoints) == ""
    assert await database.read("SELECT count(*) FROM writes") == [(0,)]


async def test_pruning_keeps_what_was_saved_last(
    checkpoints: SqliteCheckpoints, database: SqliteDatabase
) -> None:
    await save(checkpoints, LATER, EARLIEST, EARLIER)
    await database.write(*checkpoints.keep_newest(["t"], 2))
    kept = await database.read("SELECT checkpoint_id FROM checkpoints ORDER BY rowid")
    assert kept == [(EARLIEST,), (EARLIER,)]
    assert await database.read("SELECT count(*) FROM writes") == [(2,)]
