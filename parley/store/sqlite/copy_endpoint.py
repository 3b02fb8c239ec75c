"""A file as one side of a copy."""

# ruff: noqa: S608  (built from the constants of store.store_copy)

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from parley.core.model.errors import StoreUnavailable
from parley.store.rows import Row
from parley.store.sqlite.database.connection import SqliteLocation, open_writer, prepare
from parley.store.sqlite.database.error_mapping import map_error
from parley.store.sqlite.database.file_lock import lock_database
from parley.store.store_copy import (
    COUNTS,
    LANES,
    PAGE,
    CopiedTable,
    CopyCounts,
    SequenceState,
    parse_counts,
)

_BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class SqliteCopyEndpoint:
    """Source or target; the file is locked and a transaction is open. It blocks: nothing else goes on."""

    connection: sqlite3.Connection
    place: str

    async def counts(self) -> CopyCounts:
        return parse_counts(self.connection.execute(COUNTS))

    async def counters(self) -> SequenceState:
        meta = dict(self.connection.execute("SELECT key, value FROM meta").fetchall())
        item = self.connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'items'").fetchone()
        version = self.connection.execute("SELECT max(version) FROM documents").fetchone()
        return SequenceState(item[0] or 0, max(meta["deleted"], version[0] or 0), meta["epoch"])

    async def rows(self, table: CopiedTable) -> AsyncIterator[Sequence[Row]]:
        rows = self.connection.execute(f"SELECT {table.listed} FROM {table.name} ORDER BY {table.key}")
        while page := rows.fetchmany(PAGE):
            yield page

    async def load(self, table: CopiedTable, pages: AsyncIterator[Sequence[Row]]) -> None:
        marks = ", ".join("?" for _ in table.columns)
        async for page in pages:
            self.connection.executemany(f"INSERT INTO {table.name} ({table.listed}) VALUES ({marks})", page)

    async def finish(self, counters: SequenceState) -> None:
        # A document made anew begins above `deleted`, so that its versions never come again.
        changes = (("deleted", counters.version), ("epoch", counters.epoch))
        self.connection.execute(LANES)
        self.connection.executemany("UPDATE meta SET value = ?2 WHERE key = ?1", changes)
        self.connection.execute("DELETE FROM sqlite_sequence WHERE name = 'items'")
        self.connection.execute("INSERT INTO sqlite_sequence VALUES ('items', ?)", (counters.item,))


@asynccontextmanager
async def open_sqlite_endpoint(path: Path, *, new: bool) -> AsyncIterator[SqliteCopyEndpoint]:
    """Open the file `path`; with `new` it is made where there is none. Leaving with an error undoes all.

    Raises StoreUnavailable when a Parley runs on it, and for whatever else is in the way.
    """
    if not (new or await asyncio.to_thread(path.is_file)):
        raise StoreUnavailable(f"{path}: there is no such store.")
    location = SqliteLocation(path, _BUSY_SECONDS, 0)
    try:
        prepare(location)
        with lock_database(path, exclusive=True), closing(open_writer(location)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteCopyEndpoint(connection, str(path))
            except BaseException:
                connection.rollback()
                raise
            connection.execute("COMMIT")
    except (OSError, sqlite3.Error) as error:
        raise map_error(path, error) from error
