"""What an operator asks of memory where very many people are remembered reads a few of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from parley.core.model.queues import LEARNING
from parley.core.ports.journal import Document
from parley.core.ports.memory.admin import MOST_COUNTED
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.execution.reader import Reader
from parley.store.sqlite.execution.transaction import Value
from tests.kit.samples.memories import turn

MANY = 100_000
_MULTIPLIED = (
    """INSERT INTO documents (key, body, version, subjects) WITH RECURSIVE n(n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {many})
        SELECT 'memory/p' || n || '/', body, 1, '[]' FROM n, documents WHERE key = 'memory/ann/'""",
    """INSERT INTO items (queue, lane, slot, put_at, first_at, run_at, body, subjects) WITH RECURSIVE n(n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {many})
        SELECT queue, 'p' || n, slot, put_at, first_at, run_at, body, '[]' FROM n, items
        WHERE lane = 'ann'""",
)


_DEAD = """INSERT INTO items (queue, lane, slot, state, put_at, first_at, run_at, ended_at, body, subjects)
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :many)
    SELECT :queue, 'p' || n, '', 2, 0, 0, 0, :since + n, body, '[]' FROM n, items
    WHERE lane = 'ann' AND body <> ''"""


def counted_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each query from now on."""
    rows, read = list[int](), Reader.rows

    async def counted(reader: Reader, statement: str, *values: Value) -> Sequence[tuple[object, ...]]:
        found = await read(reader, statement, *values)
        rows.append(len(found))
        return found

    monkeypatch.setattr(Reader, "rows", counted)
    return rows


def multiply(file: Path, times: int) -> None:
    """Let as many people have what ann has in the store: a memory, and a turn that waits."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in _MULTIPLIED:
            connection.execute(statement.format(many=times))


async def test_the_health_of_memory_is_told_without_reading_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SqliteStore.open(tmp_path / "db") as store:
        service = MemoryService(SqlMemoryStore(store), store, RuleExtractor(), MemoryOptions())
        await service.add("ann", "Likes tea")
        await service.record(turn(1, "I live in Ulm"))
        health = await service.admin.health()
        assert (health.people, health.waiting, health.dead) == (1, 1, 0)
        multiply(tmp_path / "db", MANY)
        rows = counted_rows(monkeypatch)
        health = await service.admin.health()
        assert (health.people, health.waiting, health.dead) == (MOST_COUNTED, MOST_COUNTED, 0)
    assert sum(rows) <= MOST_COUNTED + 10
    assert len(rows) <= MOST_COUNTED // 100 + 3


async def test_failed_turns_are_read_a_page_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SqliteStore.open(tmp_path / "db") as store:
        service = MemoryService(SqlMemoryStore(store), store, RuleExtractor(), MemoryOptions())
        await service.record(turn(1, "I live in Ulm"))
        with closing(sqlite3.connect(tmp_path / "db")) as connection, connection:
            connection.execute(_DEAD, {"many": 300, "since": 0.0, "queue": LEARNING})
            connection.execute(_DEAD, {"many": 5_500, "since": 1_000.0, "queue": "turns/slack"})
            connection.execute(_DEAD, {"many": MANY, "since": 10_000.0, "queue": LEARNING})
        rows = counted_rows(monkeypatch)
        page = await service.admin.failed_turns(150)
        assert [each.person for each in page.turns] == [f"p{MANY - number}" for number in range(150)]
        assert sum(rows) == 500
        found, after = 0, f"{10_000.5!r}/0"
        pages = list[int]()
        while after:
            page = await service.admin.failed_turns(200, after)
            pages.append(len(page.turns))
            found, after = found + len(page.turns), page.after
        assert (found, pages) == (300, [0, 200, 100])
        assert (await service.admin.health()).dead == MANY + 300
        with pytest.raises(ValueError, match="after"):
            await service.admin.failed_turns(1, "nonsense")


async def test_a_page_of_people_leaves_those_in_use_in_the_cache(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "db") as store:
        memories = SqlMemoryStore(store)
        service = MemoryService(memories, store, RuleExtractor(), MemoryOptions())
        await service.add("ann", "Likes tea")
        await service.record(turn(1, "I live in Ulm"))
        multiply(tmp_path / "db", 600)
        known = await memories.load("ann")
        assert len(await memories.people_page("", 1_000)) == 601
        assert await memories.load("ann") is known


async def test_a_damaged_memory_hides_nobody_on_a_page(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "db") as store:
        memories = SqlMemoryStore(store)
        service = MemoryService(memories, store, RuleExtractor(), MemoryOptions())
        for person in ("ann", "cem"):
            await service.add(person, "Likes tea")
        await store.set(Document("memory/bob/", "{", 0))
        assert await memories.people_page("", 10) == ["ann", "cem"]
        assert (await service.admin.health()).people == 2


async def test_files_are_counted_up_to_the_same_number(tmp_path: Path) -> None:
    memories = FileMemoryStore(tmp_path / "memory")
    async with SqliteStore.open(tmp_path / "db") as store:
        service = MemoryService(memories, store, RuleExtractor(), MemoryOptions())
        await service.add("ann", "Likes tea")
        saved = (tmp_path / "memory" / "users" / "ann" / "memory.json").read_bytes()
        for number in range(MOST_COUNTED + 50):
            folder = tmp_path / "memory" / "users" / f"p{number}"
            folder.mkdir()
            (folder / "memory.json").write_bytes(saved)
        assert (await service.admin.health()).people == MOST_COUNTED
