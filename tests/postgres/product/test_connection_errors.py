"""Whatever is in the way of PostgreSQL is said in one line, without the password, and nothing is changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta

import psycopg
import pytest

from benchmarks.kit.free_ports import free_port
from benchmarks.kit.postgres_cluster import MOST_CONNECTIONS, Cluster
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.ports.journal import Document, NewQueueItem
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.connection import connect, demand_version, parse_location
from parley.store.postgres.database.schema import STEPS, migrate
from tests.kit.machine import patience
from tests.kit.store.nodes import finish_next

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


async def refusal(url: str, schema: str = "refused") -> str:
    """The one line with which opening is refused."""
    with pytest.raises(StoreUnavailable) as refused:
        async with PostgresStore.open(url, schema=schema):
            pass
    line = refused.value.user_text
    assert "\n" not in line
    assert "secret" not in line
    return line


@contextmanager
def guest(cluster: Cluster, name: str) -> Iterator[str]:
    """A user without any rights, by its address."""
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute(f"CREATE USER {name} PASSWORD 'secret'")
        yield cluster.url_of(name, "secret", "parley")
        admin.execute(f"DROP OWNED BY {name}")
        admin.execute(f"DROP USER {name}")


@pytest.mark.parametrize("version", [90600, 120022])
def test_an_old_server_is_refused_with_what_is_needed(version: int) -> None:
    with pytest.raises(StoreUnavailable, match="needs 13 or newer"):
        demand_version("PostgreSQL at db:5432/x", version)
    demand_version("PostgreSQL at db:5432/x", 130000)


async def test_a_refused_password_is_said_without_it(cluster: Cluster) -> None:
    with guest(cluster, "ann"):
        line = await refusal(cluster.url_of("ann", "wrong-secret", "parley"))
    assert "refused the user or the password" in line
    assert f"127.0.0.1:{cluster.port}/parley" in line


async def test_missing_rights_come_with_the_remedy(cluster: Cluster) -> None:
    with guest(cluster, "bob") as url:
        assert "GRANT CREATE ON DATABASE" in await refusal(url)


async def test_tables_of_another_user_need_rights(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema):
        pass
    with guest(cluster, "eve") as url:
        assert "lacks rights" in await refusal(url, schema)


async def test_full_connection_slots_are_named(cluster: Cluster) -> None:
    with guest(cluster, "crowd") as url, ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            with suppress(psycopg.OperationalError):
                stack.enter_context(psycopg.connect(url))
        assert "connection slots" in await refusal(url)


async def test_a_missing_database_is_named(cluster: Cluster) -> None:
    assert "no such database" in await refusal(cluster.url_of("postgres", "secret", "nowhere"))


async def test_a_server_that_is_not_there_is_named() -> None:
    url = f"postgresql://ann:secret@127.0.0.1:{free_port()}/parley"
    assert "cannot be reached" in await refusal(url)


async def test_an_address_that_is_none_is_named() -> None:
    assert "write postgresql://" in await refusal("postgresql://ann:secret@host:port:/x/?nonsense=1")


async def test_a_database_in_another_encoding_is_refused(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    assert "UTF8" in await refusal(cluster.url_of("postgres", "secret", "latin"))


async def test_another_programs_schema_stays_as_it_is(cluster: Cluster, schema: str) -> None:
    with psycopg.connect(cluster.url, autocommit=True) as other:
        other.execute(f"CREATE SCHEMA {schema}")
        other.execute(f"CREATE TABLE {schema}.lanes (mine int)")
        assert "another program's" in await refusal(cluster.url, schema)
        tables = other.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)).fetchall()
    assert tables == [("lanes",)]


async def test_a_newer_schema_is_refused_in_one_line(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema):
        pass
    with psycopg.connect(cluster.url, autocommit=True) as newer:
        newer.execute(f"UPDATE {schema}.meta SET schema_version = 99")
    assert "newer Parley (schema 99" in await refusal(cluster.url, schema)


async def test_nodes_that_start_together_make_the_tables_once(cluster: Cluster, schema: str) -> None:
    async def visit(n: int) -> None:
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            await store.put(NewQueueItem("in", str(n), ""))

    await asyncio.gather(*(visit(n) for n in range(4)))
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        assert len(await store.claim("in", 10)) == 4


async def test_an_older_database_climbs_with_all_it_holds_or_stays(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        await store.put(NewQueueItem("in", "x", "1"))
    connection = await connect(parse_location(cluster.url, schema))
    async with connection:
        broken = (*STEPS, ("ALTER TABLE items ADD COLUMN colour text", "INSERT INTO nowhere VALUES (1)"))
        with pytest.raises(psycopg.Error):
            await migrate(connection, schema, broken)
        async with PostgresStore.open(cluster.url, schema=schema) as store:
            assert [item.body for item in await store.waiting("in", "x")] == ["1"]
        later = (*STEPS, ("ALTER TABLE items ADD COLUMN colour text NOT NULL DEFAULT 'red'",))
        await migrate(connection, schema, later)
        await migrate(connection, schema, later)
        rows = await (await connection.execute(f"SELECT body, colour FROM {schema}.items")).fetchall()
    assert rows == [("1", "red")]
    assert f"schema {len(later)}" in await refusal(cluster.url, schema)


async def test_it_climbs_although_a_node_waits_for_what_the_step_has_locked(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        await store.put(NewQueueItem("in", "x", "1"))
    later = (*STEPS, ("ALTER TABLE lanes ADD COLUMN colour text", "ALTER TABLE items ADD COLUMN colour text"))
    climbing = await connect(parse_location(cluster.url, schema))
    node = await connect(parse_location(cluster.url, schema))
    async with climbing, node:
        await node.execute("SET deadlock_timeout = '1min'")  # it is the step that is given up
        async with node.transaction():
            await node.execute(f"UPDATE {schema}.items SET body = '2'")
            step = asyncio.create_task(migrate(climbing, schema, later))
            await asyncio.to_thread(_wait_for_lock, cluster, f"{schema}.items")
            await node.execute(f"UPDATE {schema}.lanes SET claims = claims")
        await step
        rows = await (await node.execute(f"SELECT body, colour FROM {schema}.items")).fetchall()
    assert rows == [("2", None)]


async def test_a_step_of_a_node_that_freezes_is_undone_by_the_server(cluster: Cluster, schema: str) -> None:
    setting = "current_setting('idle_in_transaction_session_timeout')"
    step = (f"CREATE TABLE silence AS SELECT {setting}::interval AS most",)
    connection = await connect(parse_location(cluster.url, schema))
    async with connection:
        await migrate(connection, schema, (step,))
        ((most,),) = await (await connection.execute(f"SELECT most FROM {schema}.silence")).fetchall()
    assert timedelta() < most <= timedelta(minutes=1)


def _wait_for_lock(cluster: Cluster, table: str) -> None:
    """Return once somebody waits for a lock of this table."""
    waits = "SELECT 1 FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        while admin.execute(waits, (table,)).fetchone() is None:
            time.sleep(0.01)


async def test_a_locked_lane_gives_up_in_time_and_alone(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema, timeout=patience(0.25)) as store:
        await store.put(NewQueueItem("in", "locked", "1"))
        with psycopg.connect(cluster.url) as other:
            other.execute(f"SELECT 1 FROM {schema}.lanes WHERE lane = 'locked' FOR UPDATE")
            results = await asyncio.gather(
                store.put(NewQueueItem("in", "locked", "2")),
                store.put(NewQueueItem("in", "open", "1")),
                store.set(Document("k", "v", 0)),
                return_exceptions=True,
            )
            assert isinstance(results[0], StoreUnavailable)
            assert "took too long" in str(results[0])
            assert await store.waiting("in", "open") != ()
            assert (await store.get("k")).body == "v"
            other.rollback()
        await store.put(NewQueueItem("in", "locked", "2"))
        assert await finish_next_of(store, "locked") == ["1", "2"]


async def finish_next_of(store: PostgresStore, lane: str) -> list[str]:
    return [item.body for item in await store.waiting("in", lane)]


async def test_a_text_with_a_nul_is_refused_and_harms_nobody(cluster: Cluster, schema: str) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        with pytest.raises(ValueError, match="NUL"):
            await store.put(NewQueueItem("in", "x", "a\0b"))
        await store.put(NewQueueItem("in", "x", "next"))
        assert await finish_next(store) == "next"


async def test_closing_commits_what_was_handed_over_and_refuses_the_rest(
    cluster: Cluster, schema: str
) -> None:
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        putting = asyncio.create_task(store.put(NewQueueItem("in", "x", "1")))
        waiting = asyncio.create_task(store.wait("other", 3600))
        await asyncio.sleep(0)
    await putting
    with pytest.raises(StoreUnavailable):
        await waiting
    with pytest.raises(StoreUnavailable):
        await store.put(NewQueueItem("in", "x", "2"))
    with pytest.raises(StoreUnavailable):
        await store.get("k")
    async with PostgresStore.open(cluster.url, schema=schema) as store:
        assert await finish_next(store) == "1"


async def test_two_nodes_that_put_the_same_lanes_crosswise_both_go_on(cluster: Cluster, schema: str) -> None:
    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema) as b,
    ):
        lanes = [str(n) for n in range(20)]
        for _ in range(10):
            await asyncio.gather(
                a.put(*(NewQueueItem("in", lane, "", dedupe=f"{_} {lane}") for lane in lanes)),
                b.put(*(NewQueueItem("in", lane, "", dedupe=f"{_} {lane}") for lane in reversed(lanes))),
            )
        assert {len(await a.waiting("in", lane)) for lane in lanes} == {10}


async def test_of_two_nodes_that_write_a_document_one_wins(cluster: Cluster, schema: str) -> None:
    async with (
        PostgresStore.open(cluster.url, schema=schema) as a,
        PostgresStore.open(cluster.url, schema=schema) as b,
    ):
        for _ in range(10):
            read = await a.get("k")
            results = await asyncio.gather(
                *(store.set(Document("k", name, read.version)) for store, name in ((a, "a"), (b, "b"))),
                return_exceptions=True,
            )
            assert sum(isinstance(result, DocumentConflict) for result in results) == 1
