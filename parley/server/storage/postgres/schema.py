"""Tables of the server, and how an older schema becomes a newer one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

from psycopg import AsyncConnection, sql
from psycopg.rows import TupleRow

from parley.core.model.errors import ConfigError

Connection: TypeAlias = AsyncConnection[TupleRow]

LOST = "PA001"
"""The SQLSTATE of what is refused because others have taken over what this server held."""

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,50}")
_PAUSE = 0.1

# `nodes` are servers that live: a lock is held as long as its node's row is there, and whoever finds a row
# that is over deletes it. `rowid` is the order in which rows were made, as in SQLite.
_TABLES = """
CREATE TABLE nodes (name text PRIMARY KEY, until float8 NOT NULL);
CREATE TABLE locks (
    name text PRIMARY KEY, node text NOT NULL REFERENCES nodes (name) ON DELETE CASCADE
);
CREATE INDEX locks_of_node ON locks (node);
CREATE TABLE threads (
    rowid bigint GENERATED ALWAYS AS IDENTITY, thread_id text PRIMARY KEY, created_at float8 NOT NULL,
    updated_at float8 NOT NULL, status text NOT NULL, graph_id text NOT NULL, metadata jsonb NOT NULL,
    interrupts text NOT NULL, error text NOT NULL
);
CREATE INDEX threads_by_age ON threads (created_at);
CREATE TABLE runs (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text NOT NULL UNIQUE, thread_id text NOT NULL,
    graph_id text NOT NULL, created_at float8 NOT NULL, updated_at float8 NOT NULL, status text NOT NULL,
    strategy text NOT NULL, temporary boolean NOT NULL, attempt int NOT NULL, metadata text NOT NULL,
    payload bytea NOT NULL, mark text NOT NULL, assistant_id text NOT NULL DEFAULT '',
    not_before float8 NOT NULL DEFAULT 0, auth_user text NOT NULL DEFAULT '{}',
    cancel text NOT NULL DEFAULT ''
);
CREATE INDEX runs_of_thread ON runs (thread_id, seq);
CREATE INDEX runs_unfinished ON runs (thread_id, seq) WHERE status IN ('pending', 'running');
CREATE TABLE assistants (
    rowid bigint GENERATED ALWAYS AS IDENTITY, assistant_id text PRIMARY KEY, version int NOT NULL
);
CREATE TABLE assistant_versions (
    assistant_id text NOT NULL, version int NOT NULL, graph_id text NOT NULL, name text NOT NULL,
    description text, config text NOT NULL, context text NOT NULL, metadata text NOT NULL,
    created_at float8 NOT NULL, updated_at float8 NOT NULL, PRIMARY KEY (assistant_id, version)
);
CREATE TABLE crons (
    rowid bigint GENERATED ALWAYS AS IDENTITY, cron_id text PRIMARY KEY, assistant_id text NOT NULL,
    thread_id text, schedule text NOT NULL, timezone text, end_time float8, next_run float8,
    payload text NOT NULL, metadata text NOT NULL, enabled boolean NOT NULL, on_run_completed text,
    created_at float8 NOT NULL, updated_at float8 NOT NULL, auth_user text NOT NULL DEFAULT '{}'
);
CREATE INDEX crons_due ON crons (next_run) WHERE enabled;
CREATE TABLE webhooks (
    run_id text PRIMARY KEY, url text NOT NULL, body bytea NOT NULL, attempts int NOT NULL,
    next_at float8 NOT NULL
);
CREATE TABLE streams (
    run_id text PRIMARY KEY, rowid bigint GENERATED ALWAYS AS IDENTITY, thread_id text NOT NULL,
    row text NOT NULL, ended boolean NOT NULL DEFAULT false, error text NOT NULL DEFAULT '',
    result bytea, changed_at float8 NOT NULL
);
CREATE INDEX streams_of_thread ON streams (thread_id, rowid);
CREATE TABLE stream_events (
    run_id text NOT NULL, id bigint NOT NULL, frame bytea NOT NULL, PRIMARY KEY (run_id, id)
);
CREATE FUNCTION demand_node(name_ text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM nodes WHERE name = name_ FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this server was away for longer than its lease: others have its work'
            USING ERRCODE = 'PA001';
    END IF;
END $$;
"""
STEPS = (_TABLES,)


def check_name(schema: str) -> str:
    """Return a schema's name. Raises ConfigError for one that needs quotes."""
    if not _NAME.fullmatch(schema):
        raise ConfigError(
            f"agent_server.database: the schema must be a plain lower-case name, not {schema!r}"
        )
    return schema


@asynccontextmanager
async def making_tables(connection: Connection, schema: str) -> AsyncIterator[None]:
    """Make the schema and our tables; what is inside is done by one server at a time. Raises ConfigError."""
    key = f"parley agent server {schema}"
    # Asked again and again, since who waits inside the database keeps the library's indexes from being built.
    while not await _number(  # noqa: ASYNC110
        connection, "SELECT pg_try_advisory_lock(hashtext(%s))::int", key
    ):
        await asyncio.sleep(_PAUSE)
    try:
        name = sql.Identifier(schema)
        await connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
        await connection.execute("CREATE TABLE IF NOT EXISTS server_schema (version int PRIMARY KEY)")
        version = await _number(connection, "SELECT coalesce(max(version), 0) FROM server_schema")
        if version > len(STEPS):
            raise ConfigError(
                f"agent_server.database: the schema {schema} was written by a newer Parley; upgrade, or name "
                "another one"
            )
        for number, step in enumerate(STEPS[version:], version + 1):
            async with connection.transaction():
                await connection.execute(step.encode())
                await connection.execute("INSERT INTO server_schema VALUES (%s)", (number,))
        yield
    finally:
        await connection.execute("SELECT pg_advisory_unlock(hashtext(%s))", (key,))


async def _number(connection: Connection, query: str, *values: str) -> int:
    row = await (await connection.execute(query.encode(), values)).fetchone()
    return int(row[0]) if row else 0
