"""The index of whom rows are about: made for the rows of an older Parley, and what it spares."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from parley.core.model.address import User, account_key
from parley.core.model.codec import encode
from parley.core.ports.journal import Document
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRecord, ConversationRepository
from parley.store.index_upkeep import INDEXED, INDEXED_CHARS
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.database.schema import STEPS, migrate
from tests.kit.samples.person_history import ThreadShelf, sources
from tests.kit.samples.populated_store import fill_with_others, person
from tests.unit.store.engine.subject_index import ANN, about, documents, said
from tests.unit.store.sqlite.effort import counted_steps

OLD_ROWS = 1_200


def _old_store(path: Path) -> None:
    """A file of the last schema without the index, with more rows than one slice takes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, STEPS[:3])
        connection.execute("BEGIN")
        for number in range(OLD_ROWS):
            user = ANN if number % 400 == 7 else User("test", f"u{number}")
            connection.execute(
                "INSERT INTO items (queue, lane, slot, state, put_at, first_at, run_at, ended_at, body)"
                " VALUES ('in', ?, '', 1, 1, 1, 1, 1, ?)",
                (f"l{number}", said(user, f"c{number}")),
            )
            record = encode(ConversationRecord(owner=account_key(user)))
            connection.execute("INSERT INTO documents VALUES (?, ?, 1)", (f"thread/test:{number:04}", record))
        connection.execute("COMMIT")


async def test_rows_of_an_older_parley_are_indexed_in_slices_and_found_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    _old_store(path)
    slices = 0
    while True:
        async with SqliteStore.open(path) as store:  # each time as after a crash
            assert await about(store, ANN) == ["l7", "l407", "l807"]
            assert "thread/test:0407" in await documents(store, ANN)
            record = encode(ConversationRecord(owner=account_key(ANN)))
            await store.set(Document(f"thread/a:{slices}", record, 0))
            more = await store.index_slice()
        if not more:
            break
        slices += 1
    assert slices >= 2 * -(-OLD_ROWS // INDEXED)
    async with SqliteStore.open(path) as store:
        assert await about(store, ANN) == ["l7", "l407", "l807"]
        new = [f"thread/a:{number}" for number in range(slices + 1)]
        assert sorted(await documents(store, ANN)) == sorted(
            [*new, "thread/test:0007", "thread/test:0407", "thread/test:0807"]
        )


async def _effort(tmp_path: Path, others: int) -> dict[str, int]:
    """What it takes to export and erase one person among others."""
    spent = {}
    async with SqliteStore.open(tmp_path / f"{others}.db") as store:
        await fill_with_others(store, others)
        shelf = ThreadShelf({})
        service = PrivacyService(
            sources(store, tmp_path, await ConversationRepository.open(store), threads=shelf)
        )
        with counted_steps(store) as steps:
            exported = await service.export(person(3), tmp_path / f"{others}.zip")
            spent["export"], steps[0] = steps[0], 0
            erased = await service.erase(person(3))
            spent["erase"] = steps[0]
    numbers = {count.kind: count.number for count in exported.done if count.number}
    assert numbers.items() >= {"messages and turns": 2, "conversations": 1, "questions": 1}.items()
    assert {count.kind: count.number for count in erased.done}.items() >= numbers.items() - {("facts", 0)}
    return spent


async def test_one_person_costs_the_same_among_few_and_among_many(tmp_path: Path) -> None:
    few, many = await _effort(tmp_path, 20), await _effort(tmp_path, 2_000)
    assert many["export"] < 1.5 * few["export"], (few, many)
    assert many["erase"] < 1.5 * few["erase"], (few, many)


async def test_a_slice_ends_where_its_rows_are_large(tmp_path: Path) -> None:
    path, large = tmp_path / "parley.db", 30
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, STEPS[:3])
        for number in range(large):
            body = json.dumps({"owner": "x" * (INDEXED_CHARS // 4)})
            connection.execute("INSERT INTO documents VALUES (?, ?, 1)", (f"thread/test:{number:04}", body))
    async with SqliteStore.open(path) as store:
        slices = 0
        while await store.index_slice():
            slices += 1
    assert large // 4 <= slices <= large // 4 + 2
