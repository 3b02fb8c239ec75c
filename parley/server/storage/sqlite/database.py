"""One SQLite file: a single connection whose writes are grouped into few transactions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiosqlite

from parley.core.model.errors import ConfigError
from parley.server.storage.interface import JsonConditions, Row, SqlValue, Statement
from parley.server.storage.sqlite.conditions import SqliteConditions

SCHEMA_VERSION = 3
SCHEMA = """
CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY, created_at REAL NOT NULL, updated_at REAL NOT NULL, status TEXT NOT NULL,
    graph_id TEXT NOT NULL, metadata TEXT NOT NULL, interrupts TEXT NOT NULL, error TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS threads_by_age ON threads (created_at);
CREATE TABLE IF NOT EXISTS runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, thread_id TEXT NOT NULL,
    graph_id TEXT NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL, status TEXT NOT NULL,
    strategy TEXT NOT NULL, temporary INTEGER NOT NULL, attempt INTEGER NOT NULL, metadata TEXT NOT NULL,
    payload BLOB NOT NULL, mark TEXT NOT NULL,
    assistant_id TEXT NOT NULL DEFAULT '', not_before REAL NOT NULL DEFAULT 0,
    auth_user TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS runs_of_thread ON runs (thread_id, seq);
CREATE INDEX IF NOT EXISTS runs_unfinished ON runs (status) WHERE status IN ('pending', 'running');
CREATE TABLE IF NOT EXISTS assistants (assistant_id TEXT PRIMARY KEY, version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS assistant_versions (
    assistant_id TEXT NOT NULL, version INTEGER NOT NULL, graph_id TEXT NOT NULL, name TEXT NOT NULL,
    description TEXT, config TEXT NOT NULL, context TEXT NOT NULL, metadata TEXT NOT NULL,
    created_at REAL NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (assistant_id, version)
);
CREATE TABLE IF NOT EXISTS crons (
    cron_id TEXT PRIMARY KEY, assistant_id TEXT NOT NULL, thread_id TEXT, schedule TEXT NOT NULL,
    timezone TEXT, end_time REAL, next_run REAL, payload TEXT NOT NULL, metadata TEXT NOT NULL,
    enabled INTEGER NOT NULL, on_run_completed TEXT, created_at REAL NOT NULL, updated_at REAL NOT NULL,
    auth_user TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS crons_due ON crons (next_run) WHERE enabled;
CREATE TABLE IF NOT EXISTS webhooks (
    run_id TEXT PRIMARY KEY, url TEXT NOT NULL, body BLOB NOT NULL, attempts INTEGER NOT NULL,
    next_at REAL NOT NULL
);
"""
_ADDED = (
    ("runs", "assistant_id", "TEXT NOT NULL DEFAULT ''"),
    ("runs", "not_before", "REAL NOT NULL DEFAULT 0"),
    ("runs", "auth_user", "TEXT NOT NULL DEFAULT '{}'"),
    ("crons", "auth_user", "TEXT NOT NULL DEFAULT '{}'"),
)
"""Columns that tables of earlier versions do not have."""

ERRORS = (aiosqlite.Error,)
"""What is raised where the file fails."""

_REFUSED = (*ERRORS, ValueError, OverflowError)


@dataclass(frozen=True, slots=True)
class _Write:
    statements: tuple[Statement, ...]
    durable: bool
    done: asyncio.Future[None]


class SqliteDatabase:
    """Reads and grouped writes on one connection.

    `lock` is held for each transaction; whoever else uses the connection must take it too.
    """

    errors: tuple[type[Exception], ...] = ERRORS
    away: tuple[type[Exception], ...] = ()
    conditions: JsonConditions = SqliteConditions()

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self.connection = connection
        self.lock = asyncio.Lock()
        self._writes: list[_Write] = []
        self._wake = asyncio.Event()
        self._synchronous = ""
        self._closed = False

    async def read(self, sql: str, parameters: Sequence[SqlValue] = ()) -> list[Row]:
        """All rows of a query."""
        async with self.lock:
            return [tuple(row) for row in await self.connection.execute_fetchall(sql, parameters)]

    async def write(self, *statements: Statement, durable: bool = False) -> None:
        """Run statements in one transaction; committed on return, and if `durable` also synced to disk.

        Every commit survives the death of this process; a durable one, and all before it, survives the
        machine's. Raises aiosqlite.Error, ValueError or OverflowError: nothing of it happened.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._writes.append(_Write(statements, durable, done))
        self._wake.set()
        await done

    async def work(self) -> None:
        """Commit what `write` is given, until closed."""
        while self._writes or not self._closed:
            await self._wake.wait()
            self._wake.clear()
            await self._flush()

    def close(self) -> None:
        """Let `work` end once everything is committed."""
        self._closed = True
        self._wake.set()

    async def _flush(self) -> None:
        async with self.lock:
            writes, self._writes = self._writes, []
            if writes and (error := await self._commit(writes)):
                # One bad write must not take the others with it.
                for write in writes:
                    _settle(write, error if len(writes) == 1 else await self._commit([write]))

    async def _commit(self, writes: list[_Write]) -> Exception | None:
        try:
            await self._transact(writes)
        except _REFUSED as error:
            with contextlib.suppress(aiosqlite.Error):
                await self.connection.execute("ROLLBACK")
            return error
        for write in writes:
            _settle(write, None)
        return None

    async def _transact(self, writes: list[_Write]) -> None:
        level = "FULL" if any(write.durable for write in writes) else "NORMAL"
        if level != self._synchronous:
            await self.connection.execute(f"PRAGMA synchronous={level}")
            self._synchronous = level
        await self.connection.execute("BEGIN IMMEDIATE")
        for statement in _merged(writes):
            await self.connection.executemany(statement.sql, statement.rows)
        await self.connection.execute("COMMIT")


def _settle(write: _Write, error: Exception | None) -> None:
    if write.done.done():
        return
    if error:
        write.done.set_exception(error)
    else:
        write.done.set_result(None)


def _merged(writes: list[_Write]) -> list[Statement]:
    """Single statements with the same SQL become one; writes of several statements keep their order."""
    alike: dict[str, list[Sequence[SqlValue]]] = {}
    ordered: list[Statement] = []
    for write in writes:
        if len(write.statements) == 1:
            alike.setdefault(write.statements[0].sql, []).extend(write.statements[0].rows)
        else:
            ordered.extend(write.statements)
    return [Statement(sql, rows) for sql, rows in alike.items()] + ordered


@asynccontextmanager
async def open_database(path: Path) -> AsyncIterator[SqliteDatabase]:
    """Open or create the file, for this process alone.

    Raises ConfigError when it cannot be used: not writable, not a database, of a newer version, or held
    by another process.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            await stack.enter_async_context(exclusive_lock(path))
            connection = await stack.enter_async_context(aiosqlite.connect(path, isolation_level=None))
            await _prepare(connection, path)
        except (aiosqlite.Error, OSError) as error:
            raise ConfigError(f"agent.database: {path} cannot be used: {error}") from error
        database = SqliteDatabase(connection)
        worker = asyncio.create_task(database.work())
        try:
            yield database
        finally:
            database.close()
            await worker


@asynccontextmanager
async def exclusive_lock(path: Path) -> AsyncIterator[None]:
    """Hold the file alone: two servers on one would both run what is unfinished.

    It is SQLite's own lock, and dies with us. Raises ConfigError where somebody has it, or it cannot be had.
    """
    beside = path.with_name(path.name + ".lock")
    async with contextlib.AsyncExitStack() as stack:
        try:
            opening = aiosqlite.connect(beside, timeout=1.0, isolation_level=None)
            await (await stack.enter_async_context(opening)).execute("BEGIN EXCLUSIVE")
        except aiosqlite.Error as error:
            problem = "is in use by another Parley; stop that one first"
            if "locked" not in str(error):
                problem = f"cannot be used: {error}"
            raise ConfigError(f"agent.database: {path} {problem}") from error
        yield


async def _prepare(connection: aiosqlite.Connection, path: Path) -> None:
    await connection.execute("PRAGMA journal_mode=WAL")
    [(version,)] = await connection.execute_fetchall("PRAGMA user_version")
    if int(version) > SCHEMA_VERSION:
        raise ConfigError(
            f"agent.database: {path} was written by a newer Parley; upgrade, or name another file"
        )
    # What is there is looked at, and not the version: a process may have died between two columns.
    for table, column, kind in _ADDED:
        known = {row[1] for row in await connection.execute_fetchall(f"PRAGMA table_info({table})")}
        if known and column not in known:
            await connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    await connection.executescript(SCHEMA)
    await connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
