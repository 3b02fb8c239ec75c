"""Opening the file: a database of ours, or one clear line."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from parley.store.sqlite.database.schema import migrate, version_of

_WAL_PAGES = 4000
"""Pages in the write-ahead log before they are copied into the file: 16 MB, a copy every few seconds."""


@dataclass(frozen=True, slots=True)
class SqliteLocation:
    """Where the database is; seconds to wait for another program's lock; most pages it may have (0: any)."""

    path: Path
    busy_timeout: float
    max_pages: int


def prepare(location: SqliteLocation) -> None:
    """Make the folder, private if it is new, and the file. Raises OSError."""
    location.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(location.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def open_writer(location: SqliteLocation) -> sqlite3.Connection:
    """Return the one connection that writes, on a file of the newest schema.

    Raises StoreUnavailable for a newer or a foreign file, and sqlite3.Error.
    """
    connection = _connect(location)
    try:
        version_of(connection, location.path)  # before the first write: a foreign file stays as it is
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES:d}")
        migrate(connection, location.path)
        if location.max_pages:
            connection.execute(f"PRAGMA max_page_count = {location.max_pages:d}")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(location: SqliteLocation) -> sqlite3.Connection:
    """Return a connection that only reads. Raises sqlite3.Error."""
    connection = _connect(location)
    connection.execute("PRAGMA query_only = 1")
    return connection


def _connect(location: SqliteLocation) -> sqlite3.Connection:
    return sqlite3.connect(
        location.path,
        timeout=location.busy_timeout,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=128,
    )
