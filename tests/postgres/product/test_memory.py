"""Memories in a database that several nodes share: nobody's change is lost to another's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.errors import DocumentConflict
from parley.core.ports.memory.admin import MOST_COUNTED
from parley.core.ports.memory.past_turns import PastTurnQuery
from parley.memory.learning.extraction.extractor import Extractor
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.model.document import StoredMemory
from parley.memory.options import MemoryOptions
from parley.memory.past_turns.storage import INDEX
from parley.memory.service import MemoryService
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.postgres import PostgresStore
from tests.kit.doubles.llm_provider import turn
from tests.kit.samples.memories import fact, stored
from tests.postgres.store.query_plans import recorded_store

_MANY = 20_000
_MULTIPLIED = (
    """INSERT INTO documents (key, body, version) SELECT 'memory/p' || n || '/', body, 1
        FROM generate_series(1, %(many)s) n, documents WHERE key = 'memory/ann/'""",
    """INSERT INTO items (queue, lane, slot, put_at, first_at, run_at, body)
        SELECT queue, 'p' || n, slot, put_at, first_at, run_at, body
        FROM generate_series(1, %(many)s) n, items WHERE lane = 'ann'""",
)

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


@pytest.fixture
async def nodes(cluster: Cluster, schema: str) -> AsyncIterator[tuple[PostgresStore, PostgresStore]]:
    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema) as b,
    ):
        yield a, b


def service(store: PostgresStore) -> MemoryService:
    extractor: Extractor = RuleExtractor()
    return MemoryService(SqlMemoryStore(store), store, extractor, MemoryOptions())


async def test_what_people_add_on_two_nodes_at_once_is_all_there(
    nodes: tuple[PostgresStore, PostgresStore],
) -> None:
    services = [service(node) for node in nodes]

    async def add(each: MemoryService, numbers: range) -> None:
        for number in numbers:
            await each.add("ann", f"The lucky number of day {number} is {number * 7}")

    await asyncio.gather(add(services[0], range(6)), add(services[1], range(6, 12)))
    for each in services:
        overview = await each.overview("ann")
        assert len(overview.facts) == 12


async def test_the_health_of_memory_is_told_without_reading_everybody(cluster: Cluster, schema: str) -> None:
    async with recorded_store(cluster.url, schema) as (store, recorder):
        memory = service(store)
        await memory.add("ann", "Likes tea")
        await memory.record(turn(1, "I live in Ulm"))
        with psycopg.connect(cluster.url, autocommit=True) as admin:
            admin.execute(f"SET search_path TO {schema}".encode())
            for statement in _MULTIPLIED:
                admin.execute(statement.encode(), {"many": _MANY})
        recorder.clear()
        health = await memory.admin.health()
        assert (health.people, health.waiting, health.dead) == (MOST_COUNTED, MOST_COUNTED, 0)
        # Each turn that waits has an empty item before it, which is passed over.
        assert recorder.most() <= 2 * MOST_COUNTED + 10
        assert len(recorder.plans) <= 2 * (MOST_COUNTED // 100) + 5  # a page's function and its query


async def test_thirty_additions_at_once_are_all_kept(
    nodes: tuple[PostgresStore, PostgresStore],
) -> None:
    services = [service(node) for node in nodes]
    added = [
        services[number % 2].add("ann", f"The lucky number of day {number} is {number * 7}")
        for number in range(30)
    ]
    await asyncio.gather(*added)
    assert len((await services[0].overview("ann")).facts) == 30


async def test_of_two_writers_the_slower_one_is_told(nodes: tuple[PostgresStore, PostgresStore]) -> None:
    a, b = (SqlMemoryStore(node) for node in nodes)
    first = await a.save("ann", stored(fact(1, "Likes tea")))
    await b.save("ann", replace(await b.load("ann"), document=stored(fact(2, "Likes coffee")).document))
    with pytest.raises(DocumentConflict):
        await a.save("ann", first)
    assert [each.content for each in (await a.load("ann")).document.facts] == ["Likes coffee"]


async def test_a_large_memory_is_read_and_written_while_the_loop_goes_on(
    nodes: tuple[PostgresStore, PostgresStore],
) -> None:
    store = SqlMemoryStore(nodes[0])
    whole = stored(
        *(fact(n, f"A long statement about the {n}th of many things they did") for n in range(3000))
    )
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    saved = await store.save("ann", whole)
    before = turns
    assert (await SqlMemoryStore(nodes[1]).load("ann")).document == saved.document
    counting.cancel()
    assert turns - before > 100
    assert saved != StoredMemory()


async def test_deleting_a_conversation_takes_its_turns_only_on_every_node(
    nodes: tuple[PostgresStore, PostgresStore],
) -> None:
    a, b = (service(node).past_turns for node in nodes)
    for number in range(6):
        said = turn(number, "We fly to Lisbon", thread=f"thread-{number % 2}", at=time.time())
        for document in await a.documents_of(said):
            await nodes[0].set(document)
    assert await asyncio.gather(*(each.erase_conversation("web:thread-1") for each in (a, b))) != [0, 0]
    assert await b.erase_conversation("web:thread-1") == 0
    found = await b.search(PastTurnQuery("ann", "Lisbon"))
    assert {each.conversation for each in found} == {"web:thread-0"}
    assert len(found) == len(await nodes[1].list(INDEX)) == 3
