"""A copy of a database that somebody may be writing, as it was at one moment."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from parley.core.model.errors import StoreUnavailable
from parley.store.sqlite.database.connection import SqliteLocation, open_reader
from parley.store.sqlite.database.error_mapping import map_error
from parley.store.sqlite.database.schema import version_of

_BUSY_SECONDS = 5.0
_STEP = 512
"""Pages copied at a time, 2 MB: between two of them the progress is told."""
_FLUSHED = 16
"""Steps after which what was written is put on disk: a flood at the end would hold up its writer."""


def copy_database(source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
    """Copy `source` into the new file `target`, in steps; `progress` is told the bytes done, and of how many.

    All of it is of the moment of the call: a reader's snapshot is held meanwhile, which keeps no writer
    waiting. The copy is one file that needs no other beside it.
    Raises StoreUnavailable for what cannot be read or is damaged, OSError for what cannot be written.
    """
    try:
        with closing(open_reader(SqliteLocation(source, _BUSY_SECONDS, 0))) as reader:
            # Without a snapshot of ours SQLite would begin again at each commit of somebody else.
            reader.execute("BEGIN")
            [(size,)] = reader.execute("PRAGMA page_size")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
            with _new(target) as file, closing(_writer(target)) as writer:
                _copy(reader, writer, file, lambda done, total: progress(done * size, total * size))
                _check(source, writer)
                os.fsync(file.fileno())
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:  # the source is read only
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target)) from error
        raise map_error(source, error) from error


def schema_of(database: Path) -> int:
    """Return the version of a store's tables. Raises StoreUnavailable for what is no store."""
    try:
        with closing(_closed(database)) as connection:
            return version_of(connection, database)
    except sqlite3.Error as error:
        raise map_error(database, error) from error


def user_version(database: Path) -> int:
    """Return the number that another part of Parley keeps in its database. Raises StoreUnavailable."""
    try:
        with closing(_closed(database)) as connection:
            [(version,)] = connection.execute("PRAGMA user_version")
            return int(version)
    except sqlite3.Error as error:
        raise map_error(database, error) from error


def _copy(
    reader: sqlite3.Connection,
    writer: sqlite3.Connection,
    file: BinaryIO,
    progress: Callable[[int, int], None],
) -> None:
    steps = 0

    def told(_: int, remaining: int, total: int) -> None:
        nonlocal steps
        steps += 1
        if steps % _FLUSHED == 0:
            os.fdatasync(file.fileno())
        progress(total - remaining, total)

    reader.backup(writer, pages=_STEP, progress=told)
    writer.execute("PRAGMA journal_mode = DELETE").fetchall()


def _check(source: Path, copy: sqlite3.Connection) -> None:
    [(found,), *_] = copy.execute("PRAGMA quick_check(1)")
    if found != "ok":
        raise StoreUnavailable(
            f"{source}: the database is damaged ({found}): keep a copy of the file, and restore a backup."
        )


def _new(target: Path) -> BinaryIO:
    return os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "rb")


def _writer(target: Path) -> sqlite3.Connection:
    """Open the copy, which is whole or thrown away: nothing is undone in it, and nobody else opens it."""
    connection = sqlite3.connect(target, isolation_level=None)
    for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = OFF", "synchronous = OFF"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def _closed(database: Path) -> sqlite3.Connection:
    """Return a file that nobody writes, perhaps on a medium that cannot be written."""
    return sqlite3.connect(f"file:{quote(str(database.absolute()))}?mode=ro&immutable=1", uri=True)
