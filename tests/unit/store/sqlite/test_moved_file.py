"""A database that is moved, deleted or replaced under its store: nothing more is acknowledged."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from parley.app.storage.database_watch import watch_databases
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import Document, NewQueueItem
from parley.store.opened_files import OpenedFiles
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.read_only import open_read_only
from tests.kit.machine import patience


def rename(path: Path) -> None:
    path.rename(path.with_suffix(".away"))


def replace_by_copy(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


def delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


async def refused(store: SqliteStore) -> int:
    """Put messages until one is refused, and return how many were taken before."""
    taken = 0
    async with asyncio.timeout(patience(5)):
        while True:
            try:
                await store.put(NewQueueItem("in", "x", "2"))
            except StoreUnavailable:
                return taken
            taken += 1


MISHAPS = [Path.unlink, rename, replace_by_copy, delete_folder, move_folder]


@pytest.mark.parametrize("tail", ["", "-wal"])
@pytest.mark.parametrize("mishap", MISHAPS)
async def test_nothing_is_acknowledged_once_it_is_noticed(
    mishap: Callable[[Path], None], tail: str, tmp_path: Path
) -> None:
    path = tmp_path / "data" / "p.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        mishap(path.with_name(path.name + tail))
        await refused(store)
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="while Parley runs; nothing more is taken"):
                await store.put(NewQueueItem("in", "x", "2"))
        with pytest.raises(StoreUnavailable, match="while Parley runs"):
            await store.set(Document("key", "body", 0))


async def test_what_was_moved_and_is_put_back_is_all_there(tmp_path: Path) -> None:
    path = tmp_path / "data" / "p.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        move_folder(path)
        taken = await refused(store)
    path.parent.with_name("elsewhere").rename(path.parent)
    async with SqliteStore.open(path) as store:
        assert [item.body for item in await store.waiting("in", "x")][: 1 + taken] == ["1"] + ["2"] * taken


async def test_checkpoints_and_other_readers_are_no_alarm(tmp_path: Path) -> None:
    """The log is begun anew, also emptied, and other programs open and close the database meanwhile."""
    path = tmp_path / "p.db"
    async with SqliteStore.open(path) as store:
        for kind in ("PASSIVE", "FULL", "RESTART", "TRUNCATE"):
            await store.put(NewQueueItem("in", "x", kind))
            with closing(sqlite3.connect(path, timeout=patience(5))) as other:
                other.execute(f"PRAGMA wal_checkpoint({kind})")
            async with open_read_only(path) as look:
                await look.waiting("in", "x")
            await store.put(NewQueueItem("in", "x", f"after {kind}"))
        assert len(await store.waiting("in", "x")) == 8


async def test_a_start_after_a_clean_end_and_after_a_copy_is_no_alarm(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    for _ in range(3):
        async with SqliteStore.open(path) as store:
            await store.put(NewQueueItem("in", "x", "1"))
        replace_by_copy(path)


async def test_the_watch_ends_with_one_line_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    path.touch()
    watch = asyncio.create_task(watch_databases(OpenedFiles(path, tmp_path / "never.there"), every=0.01))
    await asyncio.sleep(0.05)
    assert not watch.done()
    path.unlink()
    async with asyncio.timeout(patience(20)):
        with pytest.raises(StoreUnavailable) as raised:
            await watch
    assert str(path) in raised.value.user_text
    assert "\n" not in raised.value.user_text


def test_what_was_said_once_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    path.touch()
    files = OpenedFiles(path)
    assert files.trouble() == ""
    path.unlink()
    assert "moved or deleted" in files.trouble()
    path.touch()
    assert "moved or deleted" in files.trouble(), "another file of that name does not bring it back"


def test_files_are_looked_at_once_in_a_while_only(tmp_path: Path) -> None:
    path, now = tmp_path / "p.db", [100.0]
    path.touch()
    files = OpenedFiles(path, every=0.25, clock=lambda: now[0])
    assert files.trouble() == ""
    path.unlink()
    now[0] = 100.125
    assert files.trouble() == ""
    now[0] = 100.25
    assert "moved or deleted" in files.trouble()
