"""Whatever is in the way of SQLite is said in one line, and nothing is lost or overwritten."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.ports.journal import Document, NewQueueItem
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.database.schema import STEPS, migrate
from tests.kit.store.nodes import bodies, finish_next

NOBODY = 65534


async def refusal(path: Path) -> str:
    """The one line with which opening `path` is refused."""
    with pytest.raises(StoreUnavailable) as refused:
        async with SqliteStore.open(path, busy_timeout=0.01):
            pass
    line = refused.value.user_text
    assert str(path) in line
    assert "\n" not in line
    return line


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A folder with a file of ours, neither of them writable; root, who may write anyway, steps down."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        folder.mkdir()
        (folder / "p.db").touch(mode=0o444)
        folder.chmod(0o555)
        Path(name).chmod(0o755)
        if root:
            os.seteuid(NOBODY)
        yield folder
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


async def test_a_second_process_is_told_who_was_first(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db") as store:
        assert f"already running here (process {os.getpid()})" in await refusal(tmp_path / "p.db")
        await store.put(NewQueueItem("in", "x", "1"))
    async with SqliteStore.open(tmp_path / "p.db") as store:
        assert await finish_next(store) == "1"


async def test_a_node_that_shares_does_not_join_one_that_is_alone(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db", node="a", exclusive=False):
        assert "already running" in await refusal(tmp_path / "p.db")


async def fill(store: SqliteStore, accepted: list[str]) -> None:
    for n in range(1000):
        await store.put(NewQueueItem("in", "x", f"{n} " + "x" * 2000, dedupe=str(n)))
        accepted.append(str(n))


async def test_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db", max_pages=100) as store:
        ballast = await store.set(Document("ballast", "x" * 200_000, 0))
        accepted: list[str] = []
        with pytest.raises(StoreUnavailable, match="disk is full"):
            await fill(store, accepted)
        assert [body.split()[0] for body in bodies(await store.waiting("in", "x"))] == accepted
        await store.delete(ballast.key)
        refused = str(len(accepted))
        assert await store.put(NewQueueItem("in", "x", f"{refused} again", dedupe=refused)) != (None,)
        for number in [*accepted, refused]:
            assert (await finish_next(store)).split()[0] == number


async def test_a_full_disk_undoes_the_whole_of_what_did_not_fit(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db", max_pages=100) as store:
        with pytest.raises(StoreUnavailable, match="disk is full"):
            await store.put(NewQueueItem("in", "x", "small"), NewQueueItem("in", "x", "x" * 1_000_000))
        assert await store.waiting("in", "x") == ()
        await store.put(NewQueueItem("in", "x", "small"))


async def test_a_full_disk_is_said_once_and_its_end_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    outage = StoreOutage(lambda: now[0])
    async with SqliteStore.open(tmp_path / "p.db", max_pages=100, outage=outage) as store:
        for name in ("a", "b", "c"):
            with pytest.raises(StoreUnavailable, match="disk is full") as refused:
                await store.set(Document(name, "x" * 1_000_000, 0))
            assert refused.value.outage
            with pytest.raises(DocumentConflict):  # the writer answers, but nothing can be written
                await store.set(Document(name, "", 1))
        now[0] += 2.0
        await store.set(Document("small", "x", 0))
    away, back = [record.getMessage() for record in caplog.records]
    assert away.startswith(f"the store is away, work waits for it: {tmp_path / 'p.db'}: the disk is full")
    assert back == "the store is back; it was away for 0.0 s"


async def test_another_programs_lock_refuses_and_work_goes_on_after_it(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "p.db", busy_timeout=0.01) as store:
        with closing(sqlite3.connect(tmp_path / "p.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="locked"):
                await store.put(NewQueueItem("in", "x", "1", dedupe="m"))
            assert await store.waiting("in", "x") == ()
        assert await store.put(NewQueueItem("in", "x", "1", dedupe="m")) != (None,)


async def test_a_locked_file_is_not_opened(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "p.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE t (x)")
        assert "locked" in await refusal(tmp_path / "p.db")


async def test_a_read_only_folder_is_named(locked_folder: Path) -> None:
    assert "read-only" in await refusal(locked_folder / "p.db")
    assert "read-only" in await refusal(locked_folder / "new.db")
    assert "read-only" in await refusal(locked_folder / "sub" / "new.db")


async def test_a_path_that_cannot_be_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is a folder" in await refusal(tmp_path)
    assert "not a folder" in await refusal(tmp_path / "file" / "p.db")


@pytest.mark.parametrize("content", [b"not a database " * 300, b"\0" * 4096], ids=["text", "zeros"])
async def test_a_file_that_is_no_database_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.db"
    path.write_bytes(content)
    assert "no database" in await refusal(path)
    assert path.read_bytes() == content


async def test_a_damaged_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "precious"))
    content = path.read_bytes()
    damaged = content[:4096] + b"\xff" * 4096 * 3 + content[4096 * 4 :]
    path.write_bytes(damaged)
    assert "damaged" in await refusal(path)
    assert path.read_bytes() == damaged


async def test_another_programs_database_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE meta (key, value)")
    content = path.read_bytes()
    assert "another program's" in await refusal(path)
    assert path.read_bytes() == content


async def test_a_newer_schema_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "1"))
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute("UPDATE meta SET value = 99 WHERE key = 'schema'")
    content = path.read_bytes()
    line = await refusal(path)
    assert "newer Parley (schema 99" in line
    assert path.read_bytes() == content


async def test_an_older_file_climbs_to_the_newest_schema_with_all_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "1"))
    later = (*STEPS, ("ALTER TABLE items ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, later)
        migrate(connection, path, later)
        assert connection.execute("SELECT body, colour FROM items").fetchall() == [("1", "red")]
    assert f"schema {len(later)}" in await refusal(path)


async def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    async with SqliteStore.open(path) as store:
        await store.put(NewQueueItem("in", "x", "1"))
    broken = (*STEPS, ("ALTER TABLE items ADD COLUMN colour TEXT", "INSERT INTO nowhere VALUES (1)"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, pytest.raises(sqlite3.Error):
        migrate(connection, path, broken)
    async with SqliteStore.open(path) as store:
        assert await finish_next(store) == "1"
