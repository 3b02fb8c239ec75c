"""A database as one side of a copy."""

# ruff: noqa: S608  (built from the constants of store.store_copy and of this file)

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from parley.core.model.errors import StoreUnavailable
from parley.store.postgres.database.connection import connect_migrated, parse_location
from parley.store.postgres.database.error_mapping import map_error
from parley.store.postgres.database.schema import Connection
from parley.store.rows import Row
from parley.store.store_copy import (
    COUNTS,
    LANES,
    PAGE,
    CopiedTable,
    CopyCounts,
    SequenceState,
    parse_counts,
)

_COUNTERS = """SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM items_id_seq),
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM versions),
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM epochs)"""
_LIVING = "SELECT name FROM nodes WHERE until > extract(epoch FROM clock_timestamp()) ORDER BY name LIMIT 1"
# Whoever is in the middle of something shows by it; who comes later waits, and gives up.
_HOLD = "LOCK TABLE nodes, lanes, items, names, dated_names, documents IN EXCLUSIVE MODE"


# Here each node has a row of its own for a tally, elsewhere they are one.
_WHOLE = {
    "items": "all_items",
    "names": "all_names",
    "tallies": """(SELECT name, max(until) AS until, sum(turns)::bigint AS turns,
    sum(metered)::bigint AS metered, sum(input)::bigint AS input, sum(output)::bigint AS output,
    sum(unpriced)::bigint AS unpriced, sum(cost)::bigint AS cost FROM tallies GROUP BY name) AS tallies""",
}
"""Where all rows of a table are read that is in several places here."""
_COUNTS = COUNTS.replace("FROM items", "FROM all_items").replace("FROM names", "FROM all_names")
_OURS = {"tallies": (("node", "copied"),)}
"""Columns that only we have, and what they are for what is copied."""


@dataclass(frozen=True, slots=True)
class PostgresCopyEndpoint:
    """Source or target; its tables are locked against changes and a transaction is open."""

    connection: Connection
    place: str

    async def counts(self) -> CopyCounts:
        return parse_counts(await (await self.connection.execute(_COUNTS.encode())).fetchall())

    async def counters(self) -> SequenceState:
        (row,) = await (await self.connection.execute(_COUNTERS)).fetchall()
        return SequenceState(*row)

    async def rows(self, table: CopiedTable) -> AsyncIterator[Sequence[Row]]:
        where = _WHOLE.get(table.name, table.name)
        statement = f"SELECT {table.listed} FROM {where} ORDER BY {table.key}"
        async with self.connection.cursor("copied") as cursor:
            await cursor.execute(statement.encode())
            while page := await cursor.fetchmany(PAGE):
                yield page

    async def load(self, table: CopiedTable, pages: AsyncIterator[Sequence[Row]]) -> None:
        more = _OURS.get(table.name, ())
        columns = ", ".join((*table.columns, *(name for name, _ in more)))
        statement = f"COPY {table.name} ({columns}) FROM STDIN".encode()
        async with self.connection.cursor() as cursor, cursor.copy(statement) as copy:
            async for page in pages:
                for row in page:
                    await copy.write_row((*row, *(value for _, value in more)))

    async def finish(self, counters: SequenceState) -> None:
        await self.connection.execute(LANES)
        for name, value in (
            ("items_id_seq", counters.item),
            ("versions", counters.version),
            ("epochs", counters.epoch),
        ):
            if value:
                await self.connection.execute("SELECT setval(%s, %s)", (name, value))


@asynccontextmanager
async def open_postgres_endpoint(url: str, *, schema: str = "parley") -> AsyncIterator[PostgresCopyEndpoint]:
    """Open the database at `url`; its tables are made where there are none.

    Leaving with an error undoes all. Raises StoreUnavailable when a node works on it, and for whatever
    else is in the way.
    """
    where = parse_location(url, schema)
    async with await connect_migrated(where) as connection:
        try:
            async with connection.transaction():
                ours = sql.SQL("SET LOCAL search_path TO {}").format(sql.Identifier(schema))
                await connection.execute(ours)
                await _hold(connection, where.place)
                yield PostgresCopyEndpoint(connection, where.place)
        except psycopg.Error as error:
            raise map_error(where.place, error) from error


async def _hold(connection: Connection, place: str) -> None:
    await connection.execute("SET LOCAL lock_timeout = '5s'")
    try:
        await connection.execute(_HOLD)
    except psycopg.errors.LockNotAvailable as error:
        raise StoreUnavailable(f"{place}: is in use: stop every parley that works on it.") from error
    for (name,) in await (await connection.execute(_LIVING)).fetchall():
        raise StoreUnavailable(
            f'{place}: is in use by the node "{name}": stop it; one that was killed is forgotten when its '
            "lease is over."
        )
