"""The indexes of whom rows are about and of when feedback was given: kept for what older nodes write, too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.address import User, account_key
from parley.core.model.codec import encode
from parley.core.ports.journal import Document
from parley.core.ports.subjects import document_subjects
from parley.core.privacy.retention import delete_settled_questions
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRecord, ConversationRepository
from parley.core.state.feedback import delete_feedback_before, feedback_key, feedback_prefix
from parley.memory.learning.queue import LearningQueue
from parley.memory.options import MemoryOptions
from parley.store.index_upkeep import INDEXED, INDEXED_CHARS
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.connection import connect, parse_location
from parley.store.postgres.database.schema import STEPS, migrate
from parley.store.postgres.operations.subject_index import as_array
from tests.kit.doubles.llm_provider import turn
from tests.kit.samples.person_history import ThreadShelf, sources
from tests.kit.samples.populated_store import fill_with_others, person
from tests.postgres.store.query_plans import recorded_store
from tests.unit.memory.learning.queue_kit import give_up
from tests.unit.store.engine.feedback_index import DAMAGED, rate, rating, rating_document, whose
from tests.unit.store.engine.subject_index import (
    ANN,
    BOB,
    HOUR,
    about,
    answer,
    dated,
    documents,
    question,
    said,
)

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

OTHERS = 1_000
BEFORE = STEPS[:10]
WRITE = "SELECT write_about(%s, %s, %s, '{}')"
RATED = feedback_key("test:ann", "t")


async def test_what_an_older_node_writes_is_found_and_indexed(cluster: Cluster, schema: str) -> None:
    ann, bob = (encode(ConversationRecord(owner=account_key(user))) for user in (ANN, BOB))
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        with psycopg.connect(cluster.url, autocommit=True) as older:
            older.execute(f"SET search_path TO {schema}".encode())
            put = (
                """SELECT put('{in,in}', '{x,y}', %s::text[], '{"",""}', '{0,0}', '{"",""}', '{0,0}', NULL)"""
            )
            older.execute(put.encode(), ([said(ANN, "c1"), said(BOB, "c2")],))
            (version,) = older.execute("SELECT write('thread/test:1', %s, 0)", (bob,)).fetchone() or (0,)
            assert await about(store, ANN) == ["x"]
            assert "thread/test:1" in await documents(store, BOB)
            while await store.index_slice():
                pass
            assert await about(store, ANN) == ["x"]
            assert (await documents(store, ANN), await documents(store, BOB)) == ([], ["thread/test:1"])
            older.execute("SELECT write('thread/test:1', %s, %s)", (ann, version))
            while await store.index_slice():
                pass
            assert (await documents(store, ANN), await documents(store, BOB)) == (["thread/test:1"], [])


async def test_older_rows_are_indexed_in_slices_that_go_on_after_a_crash(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema):
        pass
    with psycopg.connect(cluster.url, autocommit=True) as older:
        older.execute(f"SET search_path TO {schema}".encode())
        older.execute("ALTER TABLE items DISABLE TRIGGER USER")
        older.execute(
            """INSERT INTO items (queue, lane, slot, state, put_at, first_at, run_at, ended_at, body)
            SELECT 'in', 'l' || n, '', 1, 1, 1, 1, 1, CASE n %% 400 WHEN 7 THEN %s ELSE 'x' END
            FROM generate_series(1, 1200) n""",
            (said(ANN, "c"),),
        )
        older.execute("ALTER TABLE items ENABLE TRIGGER USER")
        older.execute("INSERT INTO index_walks VALUES ('items', '0')")
    slices, more = 0, True
    while more:
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            assert await about(store, ANN) == ["l7", "l407", "l807"]
            more = await store.index_slice()
            slices += more
    assert slices == 1_200 // INDEXED


async def test_one_person_is_exported_and_erased_without_reading_others(
    cluster: Cluster, schema: str, tmp_path: Path
) -> None:
    async with recorded_store(cluster.url, schema) as (store, recorder):
        await fill_with_others(store, OTHERS)
        conversations = await ConversationRepository.open(store)
        service = PrivacyService(sources(store, tmp_path, conversations, threads=ThreadShelf({})))
        recorder.clear()
        exported = await service.export(person(3), tmp_path / "export.zip")
        assert {count.kind.value: count.number for count in exported.done}["messages and turns"] == 2
        assert recorder.most() < OTHERS / 5, dict(recorder.rows)
        recorder.clear()
        erased = await service.erase(person(3))
        assert {count.kind.value: count.number for count in erased.done}["conversations"] == 1
        assert recorder.most() < OTHERS / 5, dict(recorder.rows)


async def test_a_persons_dead_letters_are_found_without_reading_others(cluster: Cluster, schema: str) -> None:
    async with recorded_store(cluster.url, schema) as (store, recorder):
        queue = LearningQueue(store, MemoryOptions(debounce_seconds=0))
        told = [replace(turn(number, "x"), speaker=User("test", f"a{number % 2}")) for number in range(4)]
        await give_up(store, queue, *told, *(turn(n, "x", person=f"p{n}") for n in range(4, OTHERS)))
        recorder.clear()
        await queue.split_account("ann", "eve", "test:a1")
        await queue.move("ann", "bob")
        assert await queue.discard_dead("eve") == 0
        assert recorder.most() < OTHERS / 10, dict(recorder.rows)
        assert [len(await queue.waiting(person)) for person in ("eve", "bob")] == [2, 2]


async def test_a_slice_ends_where_its_rows_are_large(cluster: Cluster, schema: str) -> None:
    large = 30
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        with psycopg.connect(cluster.url, autocommit=True) as older:
            older.execute(f"SET search_path TO {schema}".encode())
            older.execute(
                "SELECT write('thread/test:' || n, repeat('x', %s), 0) FROM generate_series(1, %s) n",
                (INDEXED_CHARS // 4, large),
            )
        slices = 0
        while await store.index_slice():
            slices += 1
    assert large // 4 <= slices <= large // 4 + 2


async def test_feedback_from_before_is_listed_and_so_is_what_an_older_node_writes(
    cluster: Cluster, schema: str
) -> None:
    async with await connect(parse_location(cluster.url, schema)) as older:
        await migrate(older, schema, BEFORE)
        await older.execute(f"SET search_path TO {schema}".encode())
        for document in (rating_document(rating("ann", 10)), rating_document(rating("bob", 20))):
            await older.execute(WRITE, (document.key, document.body, 0))
        for number, body in enumerate(DAMAGED):
            await older.execute(WRITE, (f"{feedback_prefix('test:bad')}{number}", body, 0))
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            assert await whose(store) == ["bob", "ann"]
            kept = await store.get(RATED)
            await older.execute(WRITE, (RATED, encode(rating("ann", 30)), kept.version))
            await older.execute(WRITE, (feedback_key("test:cid", "t"), encode(rating("cid", 25)), 0))
            assert await whose(store) == ["ann", "cid", "bob"]
            assert await delete_feedback_before(store, 22) == 2  # one damaged one among them has a time
            assert await whose(store) == ["ann", "cid"]


async def test_nothing_is_left_of_the_time_of_what_is_deleted(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        kept = await rate(store, rating("ann", 10))
        await store.set(kept)
        await store.delete(kept.key)
    with psycopg.connect(cluster.url) as connection:
        left = connection.execute(f"SELECT * FROM {schema}.feedback_times".encode()).fetchall()
    assert left == []


async def test_retention_reads_only_what_is_past_its_time(cluster: Cluster, schema: str) -> None:
    async with recorded_store(cluster.url, schema) as (store, recorder):
        for number in range(OTHERS):
            await store.set(answer(f"t{number}", (100 + number) * HOUR))
        await store.set(answer("old", HOUR))
        await store.set(question("old", HOUR, decided=2 * HOUR))
        recorder.clear()
        await delete_feedback_before(store, 50 * HOUR)
        assert await delete_settled_questions(store, 50 * HOUR) == 1
        assert recorder.most() < OTHERS / 50, dict(recorder.rows)
    with psycopg.connect(cluster.url) as look:
        left = look.execute(f"SELECT count(*) FROM {schema}.document_subjects".encode()).fetchone()
    assert left == (4 * OTHERS,), "of each its hour, turn, person and conversation"


async def test_times_of_documents_from_before_and_of_older_nodes_are_indexed(
    cluster: Cluster, schema: str
) -> None:
    older_write = "SELECT write_about(%s, %s, %s, %s)"

    def without_hour(document: Document) -> tuple[str, str, int, str]:
        about = document_subjects(document.key, document.body)[1:]
        return document.key, document.body, document.version, as_array(about)

    async with await connect(parse_location(cluster.url, schema)) as older:
        await migrate(older, schema, STEPS[:11])
        await older.execute(f"SET search_path TO {schema}".encode())
        await older.execute(older_write, without_hour(answer("first", HOUR)))
        await older.execute(older_write, without_hour(question("gone", HOUR)))
        await older.execute(older_write, without_hour(question("asked", HOUR)))
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            await store.delete("question/gone")  # before it is indexed
            assert await store.documents_until(9, "rateable/") is None
            while await store.index_slice():
                pass
            assert await dated(store, "rateable/", 9 * HOUR) == ["first"]
            await older.execute(older_write, without_hour(answer("second", 2 * HOUR)))
            asked = await store.get("question/asked")
            decided = replace(asked, body=question("asked", HOUR, decided=3 * HOUR).body)
            await older.execute(older_write, without_hour(decided))
            assert await store.documents_until(9, "rateable/") is None, "the new one is not indexed yet"
            assert await dated(store, "rateable/", 9 * HOUR) == ["first", "second"]
            while await store.index_slice():
                pass
            found = await store.documents_until(9, "rateable/") or ()
            assert [hour for hour, _ in found] == [1, 2]
            assert await delete_settled_questions(store, 4 * HOUR) == 1
            assert len(await store.documents_about(["test:bob"], "rateable/")) == 2
