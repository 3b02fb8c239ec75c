"""The database: grouped writes, one holder, and clear words when it cannot be used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiosqlite
import pytest

from parley.core.model.errors import ConfigError
from parley.server.storage.interface import Statement
from parley.server.storage.sqlite.database import open_database
from parley.server.storage.tables import delete_run

PUT = "INSERT INTO runs (run_id, thread_id, graph_id, created_at, updated_at, status, strategy, temporary,"
PUT += " attempt, metadata, payload, mark) VALUES (?, 't', 'g', 0, 0, 'pending', '', 0, 0, '{}', x'', '')"


async def test_many_writes_at_once_are_all_there(tmp_path: Path) -> None:
    async with open_database(tmp_path / "db") as database:
        writes = (
            database.write(Statement(PUT, [(f"r{number}",)]), durable=number % 2 == 0)
            for number in range(200)
        )
        await asyncio.gather(*writes)
        assert await database.read("SELECT count(*) FROM runs") == [(200,)]
    async with open_database(tmp_path / "db") as database:
        assert await database.read("SELECT count(*) FROM runs") == [(200,)]


async def test_a_bad_write_fails_alone(tmp_path: Path) -> None:
    async with open_database(tmp_path / "db") as database:
        results = await asyncio.gather(
            database.write(Statement(PUT, [("a",)])),
            database.write(Statement(PUT, [("\ud800",)])),
            database.write(Statement(PUT, [("b",)]), Statement("INSERT INTO nowhere VALUES (1)", [()])),
            database.write(delete_run("nobody")),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [
            type(None),
            UnicodeEncodeError,
            aiosqlite.OperationalError,
            type(None),
        ]
        assert await database.read("SELECT run_id FROM runs") == [("a",)]


async def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path) -> None:
    async with open_database(tmp_path / "db"):
        with pytest.raises(ConfigError, match="in use by another Parley"):
            async with open_database(tmp_path / "db"):
                pass


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "db").write_text("this is not a database, " * 100)
    with pytest.raises(ConfigError, match=r"agent\.database: .*not a database"):
        async with open_database(tmp_path / "db"):
            pass
    assert (tmp_path / "db").read_text().startswith("this is not")


async def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    async with aiosqlite.connect(tmp_path / "db") as connection:
        await connection.execute("PRAGMA user_version=99")
    with pytest.raises(ConfigError, match="newer Parley"):
        async with open_database(tmp_path / "db"):
            pass


@pytest.mark.parametrize("left", ["assistant_id not_before auth_user", "not_before auth_user", ""])
async def test_an_older_database_gets_what_it_lacks_also_after_a_crash_in_between(
    tmp_path: Path, left: str
) -> None:
    async with open_database(tmp_path / "db") as database:
        await database.write(Statement(PUT, [("r1",)]))
    async with aiosqlite.connect(tmp_path / "db") as connection:
        for column in left.split():
            await connection.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        await connection.execute("PRAGMA user_version=1")
    async with open_database(tmp_path / "db") as database:
        found = await database.read("SELECT run_id, assistant_id, not_before, auth_user FROM runs")
        assert found == [("r1", "", 0.0, "{}")]


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"agent\.database: .*cannot be used"):
        async with open_database(tmp_path / "file" / "db"):
            pass


async def test_a_full_disk_fails_the_write_and_nothing_else(tmp_path: Path) -> None:
    async with open_database(tmp_path / "db") as database:
        await database.write(Statement(PUT, [("before",)]))
        await database.connection.execute("PRAGMA max_page_count=1")
        with pytest.raises(aiosqlite.OperationalError, match="full"):
            await database.write(Statement(PUT, [(f"{number}" * 1000,) for number in range(100)]))
        await database.connection.execute("PRAGMA max_page_count=100000")
        await database.write(Statement(PUT, [("after",)]))
        assert await database.read("SELECT run_id FROM runs ORDER BY seq") == [("before",), ("after",)]
