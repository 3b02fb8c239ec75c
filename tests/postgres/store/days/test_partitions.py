"""What is done goes to its day's partition, and with it when its time is over."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.usage import Usage
from parley.core.ports.journal import CounterIncrement, NewQueueItem
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.connection import connect, parse_location
from parley.store.postgres.database.schema import STEPS, migrate
from parley.store.retention import DAY, Retention
from tests.kit.machine import patience
from tests.kit.store.nodes import Clock, finish_next
from tests.unit.store.engine.subject_index import ANN, about, said

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

BEFORE = STEPS[:13]
TODAY = 20_000
Admin = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def clock() -> Clock:
    return Clock(TODAY * DAY + 3600)


@pytest.fixture
async def store(cluster: Cluster, schema: str, clock: Clock) -> AsyncIterator[PostgresStore]:
    async with PostgresStore.open(cluster.url, schema=schema, clock=clock) as opened:
        yield opened


@pytest.fixture
async def admin(store: PostgresStore, cluster: Cluster, schema: str) -> AsyncIterator[Admin]:
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute(f"SET search_path TO {schema}".encode())
        make_day(connection, TODAY)
        yield connection


def make_day(admin: Admin, day: int) -> None:
    admin.execute("SELECT make_day('items', %(day)s), make_day('names', %(day)s)", {"day": day})


def rows(admin: Admin, *tables: str) -> tuple[object, ...]:
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    return admin.execute(f"SELECT {counts}".encode()).fetchone() or ()


def partitions(admin: Admin) -> set[str]:
    found = admin.execute(
        "SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid"
        " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"
    )
    return {str(name) for (name,) in found}


async def test_what_is_done_goes_with_its_day(store: PostgresStore, admin: Admin, clock: Clock) -> None:
    await store.put(NewQueueItem("in", "x", said(ANN, "c"), dedupe="m1"))
    await finish_next(store)
    await store.put(NewQueueItem("in", "y", said(ANN, "c"), dedupe="m2"))
    assert rows(admin, "items", f"ended_items_{TODAY}", f"dated_names_{TODAY}", "names") == (1, 1, 2, 0)
    assert await about(store, ANN) == ["x", "y"]
    clock.advance(7 * DAY)
    await store.prune(clock.now)
    assert rows(admin, "ended_items", "dated_names") == (1, 2), "the day is not over for all of it"
    clock.advance(DAY)
    await store.prune(clock.now)
    assert {name for name in partitions(admin) if name.endswith(str(TODAY))} == set()
    assert rows(admin, "ended_items", "ended_subjects", "dated_names", "item_subjects") == (0, 0, 0, 3)
    assert await about(store, ANN) == ["y"]
    assert await store.put(NewQueueItem("in", "x", "", dedupe="m1")) != (None,)


async def test_rows_are_counted_where_the_server_knows_of_none(
    store: PostgresStore, admin: Admin, clock: Clock
) -> None:
    for table in ("ended_items", "dated_names"):
        admin.execute(f"VACUUM {table}_{TODAY}".encode())  # empty as it is: before PostgreSQL 14 it begins so
    await store.put(NewQueueItem("in", "x", said(ANN, "c"), dedupe="m1"))
    await finish_next(store)
    clock.advance(9 * DAY)
    assert await store.prune(clock.now) == 3, "the item, its name and its lane"


async def test_who_reads_a_day_keeps_it_and_nobody_waits(
    store: PostgresStore, admin: Admin, cluster: Cluster, schema: str, clock: Clock
) -> None:
    await store.put(NewQueueItem("in", "x", "b"))
    await finish_next(store)
    clock.advance(9 * DAY)
    with psycopg.connect(cluster.url) as backup:
        backup.execute(f"SELECT * FROM {schema}.ended_items".encode())
        await store.prune(clock.now)
        assert rows(admin, "ended_items") == (1,)
        await store.put(NewQueueItem("in", "y", "b"))
        await finish_next(store)
    await store.prune(clock.now)
    assert rows(admin, "ended_items") == (0,)


@pytest.mark.parametrize("days", [(), (TODAY,), (TODAY + 1,), (TODAY, TODAY + 1)])
async def test_a_name_is_new_once_also_at_midnight(
    store: PostgresStore, cluster: Cluster, schema: str, days: tuple[int, ...]
) -> None:
    midnight = (TODAY + 1) * DAY
    note = "SELECT note_name('in', 'm', %s::float8, NULL)"
    async with (
        await psycopg.AsyncConnection.connect(cluster.url) as first,
        await psycopg.AsyncConnection.connect(cluster.url) as second,
    ):
        for each in (first, second):
            await each.execute(f"SET search_path TO {schema}".encode())
        for day in days:
            await first.execute("SELECT make_day('names', %s)", (day,))
        await first.commit()
        await second.commit()
        assert await (await first.execute(note, (midnight - 0.1,))).fetchone() == (True,)
        waits = asyncio.create_task(second.execute(note, (midnight + 0.1,)))
        await _until_blocked(cluster, second.info.backend_pid)
        await first.commit()
        assert await (await waits).fetchone() == (False,)


@pytest.mark.parametrize("days", [(), (TODAY,), (TODAY + 1,), (TODAY, TODAY + 1)])
async def test_what_comes_in_a_days_first_minute_is_put_once_and_seen_once(
    store: PostgresStore, admin: Admin, clock: Clock, days: tuple[int, ...]
) -> None:
    admin.execute("SELECT drop_days('names', 'Infinity', 1)")
    for day in days:
        admin.execute("SELECT make_day('names', %s)", (day,))
    clock.now = (TODAY + 1) * DAY + 20
    message = NewQueueItem("in", "x", "hello", dedupe="m")
    assert await store.put(message) != (None,)
    assert await store.tally((CounterIncrement("turns", 2e9, Usage(turns=1)),), once="counted")
    assert await store.put(message) == (None,)
    assert rows(admin, "all_names", "items", "tallies") == (2, 1, 1)
    clock.advance(DAY / 2)
    assert await store.put(message) == (None,)


@given(st.lists(st.text(st.sampled_from(":ab\u732b"), max_size=4), max_size=8, unique=True))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_two_names_are_never_one(admin: Admin, names: list[str]) -> None:
    asked = "SELECT note_name('in', %s, %s, NULL)"
    with admin.transaction(force_rollback=True):
        for expected in (True, False):
            said = [admin.execute(asked, (name, TODAY * DAY + 3600.0)).fetchone() for name in names]
            assert said == [(expected,)] * len(names)


async def test_names_in_a_partition_of_schema_15_are_known(
    cluster: Cluster, schema: str, clock: Clock
) -> None:
    async with await connect(parse_location(cluster.url, schema)) as older:
        await migrate(older, schema, STEPS[:15])
        await older.execute(f"SET search_path TO {schema}".encode())
        for day in (TODAY, TODAY + 1):
            await older.execute("SELECT make_partition('dated_names', %s, 'queue, name')", (day,))
            await older.execute("INSERT INTO days VALUES ('names', %s)", (day,))
        await older.execute("SELECT note_name('in', 'x:1', %s, NULL)", (clock.now,))
        async with PostgresStore.open(cluster.url, schema=schema, clock=clock) as store:
            messages = [NewQueueItem("in", "x", "", dedupe=name) for name in ("x:1", "x:2", "x:2")]
            assert [item is None for item in await store.put(*messages)] == [True, False, True]
            clock.advance(DAY)
            assert await store.put(*messages) == (None, None, None)


async def _until_blocked(cluster: Cluster, pid: int | None) -> None:
    """Wait until a session waits for another one; for any of a store's where it is not known."""
    waits = "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = coalesce(%s, pid)"
    waits += " AND pg_blocking_pids(pid) <> '{}')"
    async with await psycopg.AsyncConnection.connect(cluster.url, autocommit=True) as look:
        async with asyncio.timeout(patience(20)):
            free: tuple[bool, ...] | None = (True,)
            while free == (True,):
                free = await (await look.execute(waits, (pid,))).fetchone()


async def test_two_nodes_make_the_same_day_at_once(
    store: PostgresStore, admin: Admin, cluster: Cluster, schema: str
) -> None:
    async def make() -> None:
        async with await connect(parse_location(cluster.url, schema)) as connection:
            for day in range(TODAY + 5, TODAY + 10):
                await connection.execute(f"SELECT {schema}.make_day('items', %s)".encode(), (day,))

    await asyncio.gather(*(make() for _ in range(4)))
    assert {f"ended_items_{day}" for day in range(TODAY + 5, TODAY + 10)} <= partitions(admin)


async def test_two_nodes_drop_the_same_day_at_once(
    store: PostgresStore, admin: Admin, cluster: Cluster, schema: str, clock: Clock
) -> None:
    await store.put(NewQueueItem("in", "x", "b", dedupe="m"))
    await finish_next(store)
    clock.advance(9 * DAY)
    async with PostgresStore.open(cluster.url, schema=schema, clock=clock) as other:
        await asyncio.gather(*(each.prune(clock.now) for each in (store, other) * 3))
    assert rows(admin, "ended_items", "dated_names", "days WHERE day <= 20000") == (0, 0, 0)


async def test_a_user_who_may_not_drop_tables_deletes_rows(
    store: PostgresStore, admin: Admin, cluster: Cluster, schema: str, clock: Clock
) -> None:
    role = f"{schema}_user"
    admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'secret'".encode())
    for rights in (
        f"USAGE ON SCHEMA {schema}",
        f"SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema}",
        f"USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {schema}",
    ):
        admin.execute(f"GRANT {rights} TO {role}".encode())
    url = cluster.url_of(role, "secret", "parley")
    async with PostgresStore.open(url, schema=schema, clock=clock) as granted:
        await granted.put(*(NewQueueItem("in", "x", said(ANN, "c"), dedupe=f"m{n}") for n in range(1100)))
        for _ in range(11):
            (claim,) = await granted.claim("in", 1)
            await granted.done(claim, claim.items)
        assert rows(admin, f"ended_items_{TODAY}", f"dated_names_{TODAY}") == (1100, 1100)
        clock.advance(9 * DAY)
        await granted.prune(clock.now)
        assert rows(admin, "ended_items", "ended_subjects", "dated_names") == (0, 0, 0)
    assert f"ended_items_{TODAY}" in partitions(admin)
    await store.prune(clock.now)
    assert f"ended_items_{TODAY}" not in partitions(admin)


@pytest.mark.parametrize("kept", [63 * DAY, math.inf])
async def test_what_is_kept_for_long_has_no_days(
    cluster: Cluster, schema: str, clock: Clock, kept: float
) -> None:
    retention = Retention(finished=kept, names=kept)
    async with PostgresStore.open(cluster.url, schema=schema, clock=clock, retention=retention) as store:
        with psycopg.connect(cluster.url, autocommit=True) as look:
            look.execute(f"SET search_path TO {schema}".encode())
            look.execute("SELECT drop_days(kind, 'Infinity', 1) FROM unnest('{items,names}'::text[]) kind")
            await store.prune(clock.now)
            assert partitions(look) == set()
        await store.put(NewQueueItem("in", "x", said(ANN, "c"), dedupe="m"))
        await finish_next(store)
        assert await about(store, ANN) == ["x"]


async def test_an_item_that_ends_meanwhile_is_removed(
    store: PostgresStore, admin: Admin, cluster: Cluster, schema: str
) -> None:
    (item,) = await store.put(NewQueueItem("in", "x", said(ANN, "c")))
    (claim,) = await store.claim("in", 1)
    async with await psycopg.AsyncConnection.connect(cluster.url) as ending:
        await ending.execute(f"SET search_path TO {schema}".encode())
        await ending.execute(
            "SELECT end_items('in', 'x', %s, 'a', %s, '{1}', 1, NULL, '', %s)",
            (claim.epoch, [item], TODAY * DAY + 20.0),
        )
        removed = asyncio.create_task(store.remove([item or 0]))
        await _until_blocked(cluster, None)
        await ending.commit()
        assert await removed == (item,)
    assert rows(admin, "all_items", "ended_subjects", "item_subjects") == (0, 0, 0)


async def test_days_are_made_before_they_begin(store: PostgresStore, admin: Admin) -> None:
    made = "SELECT count(*) FROM days WHERE day IN (day_of(moment(NULL)) + 1, day_of(moment(NULL)) + 2)"
    await store.prune(0)
    assert admin.execute(made.encode()).fetchone() == (4,)


async def test_an_older_store_goes_on_and_its_rows_go_one_by_one(
    cluster: Cluster, schema: str, clock: Clock
) -> None:
    put = (
        "SELECT put_ready('{in,in}', '{x,y}', %s::text[], '{m1,m2}', '{0,0}', '{\"\",\"\"}', '{0,0}', "
        '\'{"{}","{}"}\', %s)'
    )
    async with await connect(parse_location(cluster.url, schema)) as older:
        await migrate(older, schema, BEFORE)
        await older.execute(f"SET search_path TO {schema}".encode())
        await older.execute(put, (["1", "2"], clock.now))
        await older.execute("UPDATE items SET state = 1, ended_at = %s WHERE id = 1", (clock.now,))
        async with PostgresStore.open(cluster.url, schema=schema, clock=clock) as store:
            assert await store.put(NewQueueItem("in", "x", "", dedupe="m1")) == (None,)
            await finish_next(store)
            counts = await (
                await older.execute("SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM days)")
            ).fetchone()
            assert counts == (2, 0), "a day that has begun gets no partition"
            clock.advance(9 * DAY)
            await store.prune(clock.now)
            assert await (await older.execute("SELECT count(*) FROM all_items")).fetchone() == (0,)


async def test_what_an_older_node_put_is_indexed_although_it_is_done(
    store: PostgresStore, admin: Admin
) -> None:
    put = "SELECT put('{in}', '{x}', %s::text[], '{\"\"}', '{0}', '{\"\"}', '{0}', %s)"
    admin.execute(put.encode(), ([said(ANN, "c")], TODAY * DAY + 10))
    await finish_next(store)
    while await store.index_slice():
        pass
    assert await about(store, ANN) == ["x"]


async def test_items_of_a_day_can_be_removed(store: PostgresStore, admin: Admin) -> None:
    (first, second) = await store.put(
        NewQueueItem("in", "x", said(ANN, "c")), NewQueueItem("in", "y", said(ANN, "c"))
    )
    claims = await store.claim("in", 2)
    for claim in claims:
        await store.done(claim, claim.items)
    assert await store.remove([first or 0]) == (first,)
    assert rows(admin, "ended_items", "ended_subjects", "item_subjects") == (1, 3, 0)
    assert await about(store, ANN) == ["y"]
    assert [lane for _, _, lane in await store.lanes_before(1 << 40, 10)] == ["y"]
    assert second
