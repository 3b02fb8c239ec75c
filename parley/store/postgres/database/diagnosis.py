"""A document written to PostgreSQL and read back, its clock beside ours, and the numbers of its rows."""

from __future__ import annotations

import time
from uuid import uuid4

import psycopg
from psycopg import sql

from parley.core.model.errors import StoreUnavailable
from parley.store.diagnosis import PROBE_PREFIX, StoreProbe, StoreStatistics
from parley.store.postgres.database.connection import connect, parse_location
from parley.store.postgres.database.error_mapping import map_error
from parley.store.postgres.database.schema import STEPS, Connection, version_of
from parley.store.rows import ITEM_STATES

_LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted"
_CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8"


async def probe_postgres(url: str, *, schema: str = "parley") -> StoreProbe:
    """Write, read back and remove a document where the tables are current. Raises StoreUnavailable."""
    where = parse_location(url, schema)
    async with await connect(where) as connection:
        try:
            version = await version_of(connection, schema)
            before = time.time()
            there = float(await _number(connection, _CLOCK))
            ahead = there - (before + time.time()) / 2
            locks, server = int(await _number(connection, _LOCKS)), connection.info.server_version
            write, read = (
                await _write(connection, schema, where.place) if version == len(STEPS) else (0.0, 0.0)
            )
        except psycopg.Error as error:
            raise map_error(where.place, error) from error
    return StoreProbe(version, len(STEPS), write, read, ahead, locks, f"PostgreSQL {server // 10_000}")


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
                    "- min(put_at) FROM {}.items GROUP BY queue, state"
                ).format(tables)
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


async def _write(connection: Connection, schema: str, place: str) -> tuple[float, float]:
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
        raise StoreUnavailable(f"{place}: what was written was not read back: look at the server's log.")
    return written - began, read - written


async def _number(connection: Connection, query: str) -> float:
    row = await (await connection.execute(query)).fetchone()
    return float(row[0]) if row else 0.0
