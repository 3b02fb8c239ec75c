"""The indexes of when people said what they think, and since when things are kept; also of older files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from parley.core.ports.subjects import document_subjects
from parley.core.privacy.retention import delete_settled_questions
from parley.core.state.feedback import answer_key, delete_feedback_before, feedback_prefix, list_feedback
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.database.schema import STEPS, migrate
from parley.store.sqlite.read_only import IndexedReadOnlyStore, open_read_only
from tests.unit.store.engine.feedback_index import DAMAGED, rate, rating, rating_document, whose
from tests.unit.store.engine.subject_index import answer, prompt, question
from tests.unit.store.sqlite.effort import counted_steps

BEFORE = STEPS[:5]
HOUR = 3_600.0


def _older_store(path: Path) -> None:
    """A file of the last schema without the index."""
    kept = [rating_document(rating("ann", 10)), rating_document(rating("bob", 20))]
    rows = [(document.key, document.body) for document in kept]
    rows += [(f"{feedback_prefix('test:bad')}{number}", body) for number, body in enumerate(DAMAGED)]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, BEFORE)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executemany("INSERT INTO documents (key, body, version) VALUES (?, ?, 1)", rows)


async def test_feedback_from_before_is_listed_and_changes_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    _older_store(path)
    async with SqliteStore.open(path) as store:
        assert await whose(store) == ["bob", "ann"]
        kept = await store.get(rating_document(rating("ann", 10)).key)
        await store.delete(kept.key)
        await rate(store, rating("ann", 30))
        assert await whose(store) == ["ann", "bob"]
        assert await delete_feedback_before(store, 25) == 2  # one damaged one among them has a time
        assert await whose(store) == ["ann"]


async def test_a_look_at_a_file_of_an_older_parley_finds_its_feedback(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    _older_store(path)
    async with open_read_only(path) as look:
        assert not isinstance(look, IndexedReadOnlyStore)
        listed = [said.account for said in await list_feedback(look)]
        assert [said.account for said in await list_feedback(look, 15, 1)] == ["test:bob"]
    async with SqliteStore.open(path), open_read_only(path) as look:
        assert isinstance(look, IndexedReadOnlyStore)
        assert [said.account for said in await list_feedback(look)] == listed == ["test:bob", "test:ann"]


async def test_nothing_is_left_in_the_index_of_what_is_deleted(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        kept = await rate(store, rating("ann", 10))
        await store.set(kept)
        await store.delete(kept.key)
    with closing(sqlite3.connect(tmp_path / "parley.db")) as connection:
        assert connection.execute("SELECT * FROM feedback_times").fetchall() == []


async def _effort(path: Path, others: int, look: Callable[[SqliteStore], Awaitable[object]]) -> int:
    """What it takes the database to look where others have said something, too."""
    async with SqliteStore.open(path) as store:
        for number in range(others):
            await rate(store, rating(f"u{number % 50}", (100 + number) * HOUR, turn=f"t{number}"))
        await rate(store, rating("ann", 1))
        with counted_steps(store) as steps:
            await look(store)
        return steps[0]


async def test_a_page_costs_the_same_among_few_and_among_many(tmp_path: Path) -> None:
    async def look(store: SqliteStore) -> None:
        assert len(await list_feedback(store, most=10)) == 10
        assert len(await list_feedback(store, since=120 * HOUR, most=10)) == 10

    few, many = [await _effort(tmp_path / f"{number}.db", number, look) for number in (40, 2_000)]
    assert many < 1.5 * few


async def test_retention_reads_only_what_is_past_its_time(tmp_path: Path) -> None:
    async def look(store: SqliteStore) -> None:
        assert await delete_feedback_before(store, 50 * HOUR) == 1

    few, many = [await _effort(tmp_path / f"{number}.db", number, look) for number in (40, 2_000)]
    assert many < 1.5 * few


async def test_retention_of_answers_and_questions_reads_only_what_is_past_its_time(tmp_path: Path) -> None:
    async def effort(others: int) -> int:
        async with SqliteStore.open(tmp_path / f"{others}.db") as store:
            for number in range(others):
                at = (100 + number) * HOUR
                for made in (answer(f"t{number}", at), prompt(f"m{number}", at), question(f"q{number}", at)):
                    await store.set(made)
            await store.set(answer("old", HOUR))
            await store.set(question("old", HOUR, decided=2 * HOUR))
            with counted_steps(store) as steps:
                await delete_feedback_before(store, 50 * HOUR)
                assert await delete_settled_questions(store, 50 * HOUR) == 1
            assert len(await store.list("rateable/", others + 2)) == others
            return steps[0]

    few, many = await effort(40), await effort(1_000)
    assert many < 1.5 * few


async def test_the_times_of_an_older_parleys_documents_are_indexed_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    kept = [
        *(answer(f"t{number:03}", number * HOUR) for number in range(250)),
        question("decided", HOUR, decided=3 * HOUR),
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, STEPS[:6])
        connection.execute("PRAGMA journal_mode = WAL")
        rows = [
            (each.key, each.body, json.dumps(document_subjects(each.key, each.body)[1:])) for each in kept
        ]
        connection.executemany(
            "INSERT INTO documents (key, body, version, subjects) VALUES (?, ?, 1, ?)", rows
        )
    async with SqliteStore.open(path) as store:
        await delete_feedback_before(store, 10 * HOUR)
        assert await delete_settled_questions(store, HOUR) == 0
        assert await store.documents_until(99, "rateable/") is None, "not all are indexed yet"
        assert [each.key for each in await store.list("rateable/", 1)] == [answer_key("t010")]
        while await store.index_slice():
            pass
        found = await store.documents_until(99, "rateable/") or ()
        assert [document.key for _, document in found] == [answer_key(f"t{n:03}") for n in range(10, 100)]
        assert await delete_settled_questions(store, 4 * HOUR) == 1
        assert len(await store.documents_about(["test:bob"], "rateable/")) == 240
