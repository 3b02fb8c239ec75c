"""Whom items are about is found over ranges of their ids, in the order of the ids."""

from __future__ import annotations

import asyncio
from random import Random

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.address import account_key
from parley.core.ports.journal import NewQueueItem
from parley.core.ports.subjects import item_subjects, subject_number
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.connection import connect, parse_location
from parley.store.postgres.database.schema import STEPS, migrate
from parley.store.postgres.operations.subject_index import as_array
from tests.postgres.store.query_plans import PlanRecorder, recorded_store
from tests.unit.store.engine.subject_index import ANN, BOB, about, said

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

BEFORE = STEPS[:12]
RANGE = 1 << 14
_INSERT = """INSERT INTO items (id, queue, lane, slot, put_at, first_at, run_at, body, subjects)
    OVERRIDING SYSTEM VALUE VALUES (%s, 'in', 'x', '', 0, 0, 0, '', %s)"""
_PLAINLY = """SELECT array(SELECT id FROM items WHERE subjects && %(wanted)s::bigint[] AND id > %(after)s
    ORDER BY id LIMIT %(most)s)"""
_BY_INDEX = "SELECT items_about(%(wanted)s::bigint[], %(after)s, %(most)s)"


def _ids(random: Random, number: int) -> list[int]:
    """Ids beside the ends of ranges, and anywhere, with wide gaps; more ranges than one query looks into."""
    ends = [place * RANGE + near for place in (1, 2, 3, 900, 1 << 30) for near in (-2, -1, 0, 1, 2)]
    many = [place * RANGE + random.randrange(RANGE) for place in range(20, 20 + 150)]
    return sorted({*ends, *many, *(random.randrange(1, 8 * RANGE) for _ in range(number))})


async def test_the_index_finds_what_reading_every_item_finds(cluster: Cluster, schema: str) -> None:
    random = Random(13)
    async with PostgresStore.open(cluster.url, schema=schema):
        pass
    with psycopg.connect(cluster.url, autocommit=True) as look:
        look.execute(f"SET search_path TO {schema}".encode())
        ids = _ids(random, 300)
        for number in ids:
            look.execute(_INSERT, (number, random.sample(range(-3, 4), random.randrange(4))))
        for changed in random.sample(ids, 60):
            look.execute("UPDATE items SET subjects = %s WHERE id = %s", ([random.randrange(-3, 4)], changed))
        look.execute("DELETE FROM items WHERE id = ANY (%s)", (random.sample(ids, 80),))
        for _ in range(300):
            values = {
                "wanted": random.sample(range(-4, 5), random.randrange(1, 5)),
                "after": random.choice([0, *ids]) - random.randrange(2),
                "most": random.choice([1, 2, 7, 500]),
            }
            found, expected = (look.execute(each, values).fetchone() for each in (_BY_INDEX, _PLAINLY))
            assert found == expected, values
        look.execute("DELETE FROM items")
        assert look.execute("SELECT count(*) FROM item_subjects").fetchone() == (0,)


async def test_a_lookup_reads_only_what_is_about_them(cluster: Cluster, schema: str) -> None:
    ranges = 70  # more than one query looks into
    async with recorded_store(cluster.url, schema) as (store, recorder):
        with psycopg.connect(cluster.url, autocommit=True) as admin:
            for place in range(ranges):
                restart = f"ALTER TABLE {schema}.items ALTER COLUMN id RESTART WITH {place * RANGE + RANGE}"
                admin.execute(restart.encode())
                others = [NewQueueItem("in", f"{place}/{n}", said(BOB, "c")) for n in range(50)]
                await store.put(*others, NewQueueItem("in", f"ann/{place}", said(ANN, "c")))
        recorder.clear()
        assert await about(store, ANN) == [f"ann/{place}" for place in range(ranges)]
        assert recorder.rows["item_subjects"] <= 8 * ranges
        _assert_ranges_are_entered(recorder)
        recorder.clear()
        await store.put(NewQueueItem("in", "last", said(ANN, "c")))
        (removed,) = await store.waiting("in", "ann/7")
        await store.remove([removed.id])
        assert recorder.rows["item_subjects"] <= 8
        _assert_ranges_are_entered(recorder)


def _assert_ranges_are_entered(recorder: PlanRecorder) -> None:
    """A server that looks through the whole index for an id does not count that as rows."""
    read = [plan for plan in recorder.plans if '_by_range"' in plan]
    assert read
    assert all('"Index Cond": "((' in plan and "(id >> 14)" in plan for plan in read), read


async def test_nodes_of_the_step_before_write_and_look_up_during_the_update(
    cluster: Cluster, schema: str
) -> None:
    async with await connect(parse_location(cluster.url, schema)) as older:
        await migrate(older, schema, BEFORE)
        await older.execute(f"SET search_path TO {schema}".encode())
        ann = [subject_number(account_key(ANN))]
        put = "SELECT put_ready('{in}', %s::text[], %s::text[], '{\"\"}', '{0}', '{\"\"}', '{0}', %s, NULL)"
        body = said(ANN, "c")
        await older.execute(put, (["before"], [body], [as_array(item_subjects("before", body))]))
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            assert await about(store, ANN) == ["before"]
            await older.execute(put, (["after"], [body], [as_array(item_subjects("after", body))]))
            assert await about(store, ANN) == ["before", "after"]
            lookup = await older.execute(_BY_INDEX, {"wanted": ann, "after": 0, "most": 500})
            assert await lookup.fetchone() == ([1, 2],)
            await older.execute("DELETE FROM items")
            assert await about(store, ANN) == []


async def test_the_step_is_made_while_messages_are_put(cluster: Cluster, schema: str) -> None:
    async with await connect(parse_location(cluster.url, schema)) as older:
        await migrate(older, schema, BEFORE)
    put = "SELECT put_ready('{in}', %s::text[], '{x}', '{\"\"}', '{0}', '{\"\"}', '{0}', '{\"{5}\"}', NULL)"

    async def write(node: int) -> None:
        async with await connect(parse_location(cluster.url, schema)) as connection:
            await connection.set_autocommit(True)
            await connection.execute(f"SET search_path TO {schema}".encode())
            for number in range(100):
                await connection.execute(put, ([f"{node}/{number}"],))

    async def update() -> None:
        async with await connect(parse_location(cluster.url, schema)) as connection:
            await migrate(connection, schema)

    await asyncio.gather(*map(write, range(3)), update())
    with psycopg.connect(cluster.url) as look:
        look.execute(f"SET search_path TO {schema}".encode())
        assert look.execute("SELECT cardinality(items_about('{5}', 0, 500))").fetchone() == (300,)
