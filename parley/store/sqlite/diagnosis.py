"""A document written to SQLite's file and read back, and the numbers of its rows."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from parley.core.model.errors import StoreUnavailable
from parley.store.diagnosis import PROBE_PREFIX, StoreProbe, StoreStatistics
from parley.store.rows import ITEM_STATES
from parley.store.sqlite.database.connection import SqliteLocation, open_reader, open_writer, prepare
from parley.store.sqlite.database.error_mapping import map_error
from parley.store.sqlite.database.file_lock import lock_database
from parley.store.sqlite.database.schema import STEPS, version_of
from parley.store.sqlite.operations.sql import WAITING_BY_QUEUE

_BUSY_SECONDS = 2.0


def probe_sqlite(path: Path) -> StoreProbe:
    """Write, read back and remove a document; in a file of its own beside `path` where that is not current.

    Raises StoreUnavailable, also where another process has the file.
    """
    try:
        schema = _schema(path)
        if schema == len(STEPS):
            with lock_database(path, exclusive=True):
                return _probe(path, schema)
        with tempfile.TemporaryDirectory(prefix=".parley-doctor-", dir=nearest_folder(path.parent)) as folder:
            return _probe(Path(folder) / path.name, schema)
    except (sqlite3.Error, OSError) as error:
        raise map_error(path, error) from error


def sqlite_waiting(path: Path) -> dict[str, int]:
    """Return how many items wait in each queue, beside a Parley that may be running.

    Raises StoreUnavailable.
    """
    try:
        with closing(open_reader(SqliteLocation(path, _BUSY_SECONDS, 0))) as connection:
            return dict(connection.execute(WAITING_BY_QUEUE).fetchall())
    except (sqlite3.Error, OSError) as error:
        raise map_error(path, error) from error


def sqlite_statistics(path: Path) -> StoreStatistics:
    """Count rows, beside a Parley that may be running. Raises StoreUnavailable."""
    try:
        with closing(open_reader(SqliteLocation(path, _BUSY_SECONDS, 0))) as connection:
            schema = version_of(connection, path)
            now = time.time()
            items = [
                (queue, ITEM_STATES[state].value, count, max(0.0, now - oldest))
                for queue, state, count, oldest in connection.execute(
                    "SELECT queue, state, count(*), min(put_at) FROM items GROUP BY queue, state"
                )
            ]
            documents = connection.execute(
                "SELECT substr(key, 1, instr(key || '/', '/') - 1), count(*) FROM documents GROUP BY 1"
            )
            return StoreStatistics("sqlite", schema, path.stat().st_size, tuple(items), dict(documents))
    except (sqlite3.Error, OSError) as error:
        raise map_error(path, error) from error


def _schema(path: Path) -> int:
    """Return the version of the file, 0 where there is none. Raises StoreUnavailable for a newer one."""
    if not path.exists():
        return 0
    with closing(open_reader(SqliteLocation(path, _BUSY_SECONDS, 0))) as connection:
        version = version_of(connection, path)
    if version > len(STEPS):
        raise StoreUnavailable(
            f"{path}: the database was written by a newer Parley (schema {version}, this one knows "
            f"{len(STEPS)}): update Parley."
        )
    return version


def nearest_folder(path: Path) -> Path:
    """Return the folder, or the first above it that is there: Parley makes the others at its start."""
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())


def _probe(path: Path, schema: int) -> StoreProbe:
    location = SqliteLocation(path, _BUSY_SECONDS, 0)
    prepare(location)
    key, body = f"{PROBE_PREFIX}{uuid4()}", "x" * 1000
    with closing(open_writer(location)) as writer:
        began = time.monotonic()
        writer.execute("INSERT INTO documents (key, body, version) VALUES (?, ?, 1)", (key, body))
        written = time.monotonic()
        try:
            with closing(open_reader(location)) as reader:
                found = reader.execute("SELECT body FROM documents WHERE key = ?", (key,)).fetchone()
            read = time.monotonic()
        finally:
            writer.execute("DELETE FROM documents WHERE key = ?", (key,))
    if found != (body,):
        raise StoreUnavailable(f"{path}: what was written was not read back: restore a backup.")
    version = f"SQLite {sqlite3.sqlite_version}"
    return StoreProbe(schema, len(STEPS), written - began, read - written, server=version)
