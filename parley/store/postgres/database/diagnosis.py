"""A document written to PostgreSQL and read back, its clock beside ours, and the numbers of its rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from ipaddress import ip_address
from uuid import uuid4

import psycopg
from psycopg import sql

from parley.core.model.errors import StoreUnavailable
from parley.store.diagnosis import PROBE_PREFIX, StoreProbe, StoreStatistics
from parley.store.postgres.database.connection import (
    compresses_log,
    connect,
    demand_usable,
    may_compress_log,
    name_place,
    parse_location,
)
from parley.store.postgres.database.error_mapping import map_error
from parley.store.postgres.database.schema import STEPS, Connection, version_of
from parley.store.rows import ITEM_STATES

_LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted"
_CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8"
_UNSAFE = ("fsync", "synchronous_commit")
# A commit that the server syncs, although no table takes part.
_EMPTY_COMMIT = "SELECT pg_logical_emit_message(true, 'parley', 'doctor')"
_IN_DAYS = 14
"""The schema since which finished items are in partitions by day."""


async def probe_postgres(
    url: str, *, schema: str = "parley", clock: Callable[[], float] = time.time
) -> StoreProbe:
    """Commit a document, read it back and remove it; where the tables are not current, commit nothing.

    Raises StoreUnavailable, also for whatever would keep a node from starting there.
    """
    where = parse_location(url, schema)
    async with await connect(where) as connection:
        with name_place(where.place):
            version = await demand_usable(connection, schema)
            before = clock()
            there = float(await _number(connection, _CLOCK))
            ahead = there - (before + clock()) / 2
            current = version == len(STEPS)
            write, read = await _write(connection, schema) if current else (await _commit(connection), 0.0)
            return StoreProbe(
                version,
                len(STEPS),
                write,
                read,
                ahead,
                int(await _number(connection, _LOCKS)),
                f"PostgreSQL {connection.info.server_version // 10_000}",
                await _unsafe(connection),
                await _nodes(connection, schema) if version else (),
                _encrypted(connection),
                await compresses_log(connection) or await may_compress_log(connection),
            )


async def postgres_waiting(url: str, *, schema: str = "parley") -> dict[str, int]:
    """Return how many items wait in each queue. Raises StoreUnavailable."""
    where = parse_location(url, schema)
    async with await connect(where) as connection:
        try:
            if await version_of(connection, schema) == 0:
                return {}
            found = await connection.execute(
                sql.SQL("SELECT queue, count(*) FROM {}.items WHERE state = 0 GROUP BY queue").format(
                    sql.Identifier(schema)
                )
            )
            return {str(queue): int(count) for queue, count in await found.fetchall()}
        except psycopg.Error as error:
            raise map_error(where.place, error) from error


async def postgres_statistics(url: str, *, schema: str = "parley") -> StoreStatistics:
    """Count rows. Raises StoreUnavailable."""
    where = parse_location(url, schema)
    async with await connect(where) as connection:
        try:
            version = await version_of(connection, schema)
            if version == 0:
                return StoreStatistics("postgresql", 0, 0)
            tables = sql.Identifier(schema)
            items = await connection.execute(
                sql.SQL(
                    "SELECT queue, state, count(*), extract(epoch FROM clock_timestamp())::float8 "
                    "- min(put_at) FROM {}.{} GROUP BY queue, state"
                ).format(tables, sql.Identifier("all_items" if version >= _IN_DAYS else "items"))
            )
            counted = [
                (queue, ITEM_STATES[state].value, count, max(0.0, float(age)))
                for queue, state, count, age in await items.fetchall()
            ]
            keys = await connection.execute(
                sql.SQL("SELECT split_part(key, '/', 1), count(*) FROM {}.documents GROUP BY 1").format(
                    tables
                )
            )
            size = int(await _number(connection, "SELECT pg_database_size(current_database())"))
            documents = {str(key): int(count) for key, count in await keys.fetchall()}
            return StoreStatistics("postgresql", version, size, tuple(counted), documents)
        except psycopg.Error as error:
            raise map_error(where.place, error) from error


async def _commit(connection: Connection) -> float:
    began = time.monotonic()
    await connection.execute(_EMPTY_COMMIT)
    return time.monotonic() - began


async def _write(connection: Connection, schema: str) -> tuple[float, float]:
    table = sql.Identifier(schema, "documents")
    key, body = f"{PROBE_PREFIX}{uuid4()}", "x" * 1000
    began = time.monotonic()
    await connection.execute(
        sql.SQL("INSERT INTO {} (key, body, version) VALUES (%s, %s, 1)").format(table), (key, body)
    )
    written = time.monotonic()
    try:
        cursor = await connection.execute(sql.SQL("SELECT body FROM {} WHERE key = %s").format(table), (key,))
        found, read = await cursor.fetchone(), time.monotonic()
    finally:
        await connection.execute(sql.SQL("DELETE FROM {} WHERE key = %s").format(table), (key,))
    if not found or found[0] != body:
        raise StoreUnavailable("what was written was not read back: look at the server's log.")
    return written - began, read - written


async def _unsafe(connection: Connection) -> tuple[str, ...]:
    cursor = await connection.execute(
        "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = 'off' ORDER BY 1", ([*_UNSAFE],)
    )
    return tuple(str(name) for (name,) in await cursor.fetchall())


async def _nodes(connection: Connection, schema: str) -> tuple[str, ...]:
    nodes = sql.Identifier(schema, "nodes")
    living = sql.SQL(
        "SELECT name FROM {} WHERE until > extract(epoch FROM clock_timestamp())::float8 ORDER BY 1"
    )
    return tuple(str(name) for (name,) in await (await connection.execute(living.format(nodes))).fetchall())


def _encrypted(connection: Connection) -> bool:
    """Return whether nobody on the way reads along: by TLS, or since it does not leave this machine."""
    address = connection.info.hostaddr
    return connection.pgconn.ssl_in_use or not address or ip_address(address).is_loopback


async def _number(connection: Connection, query: str) -> float:
    row = await (await connection.execute(query)).fetchone()
    return float(row[0]) if row else 0.0
