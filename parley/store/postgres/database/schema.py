"""Tables, and how an older database becomes a newer one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

from psycopg import AsyncConnection, errors, sql
from psycopg.rows import TupleRow

from parley.core.model.errors import StoreUnavailable
from parley.store.postgres import functions
from parley.store.postgres.functions import (
    buckets,
    counters,
    crashes,
    days,
    feedback,
    hours,
    id_ranges,
    lanes,
    lookups,
    nodes,
    subjects,
    wakes,
)

Connection: TypeAlias = AsyncConnection[TupleRow]
Step: TypeAlias = tuple[str, ...]

# `ready_at` says when anybody may claim a lane: its head's `run_at`; NULL while the lane is held, or empty.
# A held lane comes free when its node's lease (`nodes.until`) is past. `ticket` names the call that claimed
# it: an answer that never arrived is taken back by it.
_TABLES: Step = (
    "CREATE SEQUENCE epochs",
    "CREATE SEQUENCE versions",
    'CREATE TABLE nodes (name text COLLATE "C" PRIMARY KEY, until float8 NOT NULL)',
    """CREATE TABLE lanes (
        queue text COLLATE "C" NOT NULL,
        lane text COLLATE "C" NOT NULL,
        epoch bigint NOT NULL DEFAULT 0,
        node text COLLATE "C",
        ticket bigint NOT NULL DEFAULT 0,
        claimed_at float8 NOT NULL DEFAULT 0,
        ready_at float8,
        PRIMARY KEY (queue, lane)
    )""",
    "CREATE INDEX lanes_ready ON lanes (queue, ready_at) WHERE ready_at IS NOT NULL",
    "CREATE INDEX lanes_held ON lanes (node, queue) WHERE node IS NOT NULL",
    """CREATE TABLE items (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        queue text COLLATE "C" NOT NULL,
        lane text COLLATE "C" NOT NULL,
        slot text COLLATE "C" NOT NULL,
        state int NOT NULL DEFAULT 0,
        attempts int NOT NULL DEFAULT 0,
        version int NOT NULL DEFAULT 1,
        put_at float8 NOT NULL,
        first_at float8 NOT NULL,
        run_at float8 NOT NULL,
        ended_at float8,
        body text NOT NULL,
        note text NOT NULL DEFAULT '',
        reason text NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX items_waiting ON items (queue, lane, id) WHERE state = 0",
    "CREATE UNIQUE INDEX items_slot ON items (queue, lane, slot) WHERE state = 0 AND slot <> ''",
    "CREATE INDEX items_ended ON items (state, ended_at) WHERE ended_at IS NOT NULL",
    """CREATE TABLE names (
        queue text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        put_at float8 NOT NULL,
        PRIMARY KEY (queue, name)
    )""",
    "CREATE INDEX names_by_age ON names (put_at)",
    """CREATE TABLE documents (
        key text COLLATE "C" PRIMARY KEY,
        body text NOT NULL,
        version bigint NOT NULL
    )""",
    *functions.ALL,
)

# An item's note changes about three times before it is done, a document with each turn: a new version on the
# same page writes no index, and a fraction of it to the log. Measured, 3,000 turns: 32 % less log, and 65 %
# fewer dead items. By the server's defaults, vacuum would come after a fifth of all rows that were ever kept.
_UPKEEP: Step = (
    """ALTER TABLE items SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02)""",
    """ALTER TABLE documents SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_analyze_scale_factor = 0.05)""",
    """ALTER TABLE lanes SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05)""",
    "ALTER TABLE nodes SET (fillfactor = 50, autovacuum_vacuum_threshold = 500)",
)

# The first change of a page after a checkpoint writes the page to the log, as far as it is filled. Measured
# with 100,000 conversations: 11.7 kB of log a turn instead of 12.6, where the server does not compress it.
_EMPTIER_PAGES = "ALTER TABLE documents SET (fillfactor = 60)"

STEPS: tuple[Step, ...] = (
    *(_TABLES, counters.ALL, nodes.ALL, crashes.ALL, (lanes.WITHDRAW,), lookups.ALL),
    subjects.ALL,
    _UPKEEP,
    (*wakes.ALL, lookups.DEAD_PAGE),
    buckets.ALL,
    feedback.ALL,
    hours.ALL,
    id_ranges.ALL,
    days.ALL,
    days.IN_BLOCKS,
    (*days.IN_SCHEMA_16, counters.UNCOUNT),
    (*days.IN_SCHEMA_17, _EMPTIER_PAGES),
)
"""Step n brings a database from schema n to schema n + 1. Add to the end; never change a released one."""

_TRIES = 20
_UNDO_IF_SILENT = "SET LOCAL idle_in_transaction_session_timeout = '30s'"
_LOCK = 0x7061726C6579  # "parley": nodes that start together migrate one after the other


async def version_of(connection: Connection, schema: str) -> int:
    """Return the schema version, 0 where there is none. Raises StoreUnavailable for somebody else's."""
    cursor = await connection.execute(
        "SELECT to_regclass(%s) IS NOT NULL, EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace n"
        " ON n.oid = relnamespace WHERE nspname = %s)",
        (f"{schema}.meta", schema),
    )
    ours, taken = await cursor.fetchone() or (False, False)
    if ours:
        row = await (
            await connection.execute(
                sql.SQL("SELECT schema_version FROM {}.meta").format(sql.Identifier(schema))
            )
        ).fetchone()
        return int(row[0]) if row else 0
    if taken:
        raise StoreUnavailable(f"the schema {schema} is another program's: name another database.")
    return 0


def demand_known(version: int, steps: Sequence[Step] = STEPS) -> None:
    """Raise StoreUnavailable for a schema version that is newer than this program."""
    if version > len(steps):
        raise StoreUnavailable(
            f"the database was written by a newer Parley (schema {version}, this one knows {len(steps)}): "
            "update Parley, or restore the backup from before the update."
        )


async def migrate(connection: Connection, schema: str, steps: Sequence[Step] = STEPS) -> None:
    """Bring the tables to the newest schema, wholly or not at all; nothing is locked where it is there.

    Raises StoreUnavailable for a newer schema or another program's tables, and psycopg.Error.
    """
    if await version_of(connection, schema) == len(steps):
        return
    # Nodes run meanwhile: one may hold a table that we wait for, and wait for one that we hold.
    for _ in range(_TRIES - 1):
        with suppress(errors.DeadlockDetected):
            await _climb_alone(connection, schema, steps)
            return
    await _climb_alone(connection, schema, steps)


async def _climb_alone(connection: Connection, schema: str, steps: Sequence[Step]) -> None:
    async with connection.transaction():
        # Nobody gets at the tables meanwhile: a node that freezes now must not keep them.
        await connection.execute(_UNDO_IF_SILENT)
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        await _climb(connection, schema, steps)


async def _climb(connection: Connection, schema: str, steps: Sequence[Step]) -> None:
    version = await version_of(connection, schema)  # once more: another node may have been faster
    demand_known(version, steps)
    name = sql.Identifier(schema)
    if version == 0:
        await connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
    await connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(name))
    if version == 0:
        await connection.execute("CREATE TABLE meta (schema_version int NOT NULL)")
        await connection.execute("INSERT INTO meta VALUES (0)")
    for step in steps[version:]:
        for statement in step:
            await connection.execute(statement.encode())
    await connection.execute("UPDATE meta SET schema_version = %s", (len(steps),))
