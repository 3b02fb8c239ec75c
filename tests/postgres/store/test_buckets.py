"""Buckets on PostgreSQL: the server's function, names of older nodes, and names of an older schema."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import AsyncConnection

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.ports.journal import NewQueueItem
from parley.store.buckets import bucket_of
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.schema import STEPS, migrate

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

BEFORE = 9
"""The last schema without buckets."""

_PUTS = "'{in,in}', '{x,y}', '{1,2}', '{first,second}', '{0,0}', '{\"\",\"\"}', '{0,0}'"
_ABOUTS = '\'{"{}","{}"}\''
OLDER = {
    "before the index of persons": f"SELECT put({_PUTS}, NULL)",
    "before nodes were woken by name": f"SELECT put_about({_PUTS}, {_ABOUTS}, NULL)",
    "of the schema before": f"SELECT put_ready({_PUTS}, {_ABOUTS}, NULL)",
}
"""How older nodes put, that go on beside a newer one."""


@pytest.fixture
async def connection(cluster: Cluster, schema: str) -> AsyncIterator[psycopg.Connection[tuple[object, ...]]]:
    async with PostgresStore.open(cluster.url, schema=schema):
        pass
    with psycopg.connect(cluster.url, autocommit=True) as opened:
        opened.execute(f"SET search_path TO {schema}".encode())
        yield opened


def test_the_server_and_we_have_the_same_buckets(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    @settings(max_examples=20, deadline=None)
    @given(lanes=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=20))
    def holds(lanes: list[str]) -> None:
        rows = connection.execute("SELECT bucket_of(lane) FROM unnest(%s::text[]) lane", (lanes,)).fetchall()
        assert [bucket for (bucket,) in rows] == [bucket_of(lane) for lane in lanes]

    holds()


@pytest.mark.parametrize("put", OLDER.values(), ids=list(OLDER))
def test_names_that_older_nodes_write_have_their_bucket(
    connection: psycopg.Connection[tuple[object, ...]], put: str
) -> None:
    connection.execute(put.encode())
    rows = connection.execute("SELECT name, bucket FROM all_names").fetchall()
    assert dict(rows) == {"first": bucket_of("x"), "second": bucket_of("y")}  # type: ignore[arg-type]


async def test_names_of_the_schema_before_are_known_and_have_none(cluster: Cluster, schema: str) -> None:
    async with await AsyncConnection.connect(cluster.url) as older:
        await migrate(older, schema, STEPS[:BEFORE])
        await older.execute(f"SET search_path TO {schema}".encode())
        await older.execute(OLDER["of the schema before"].encode())
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        again = [NewQueueItem("in", "x", "1", dedupe=name) for name in ("first", "third")]
        old, new = await store.put(*again)
    assert old is None
    assert new is not None
    with psycopg.connect(cluster.url) as connection:
        rows = connection.execute(f"SELECT name, bucket FROM {schema}.all_names".encode()).fetchall()
    assert dict(rows) == {"first": None, "second": None, "third": bucket_of("x")}
