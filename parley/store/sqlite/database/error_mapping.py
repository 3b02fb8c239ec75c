"""What SQLite and the file system complain of, as one line each that names the file and the remedy."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from parley.core.model.errors import StoreUnavailable

_FULL = "the disk is full: make room; nothing unsaved was acknowledged."
_BY_CODE = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,
    sqlite3.SQLITE_BUSY: "another program holds the database locked: close it.",
    sqlite3.SQLITE_LOCKED: "another program holds the database locked: close it.",
    sqlite3.SQLITE_READONLY: "the database is read-only: let this user write to the file and its folder.",
    sqlite3.SQLITE_PERM: "the database is out of reach: let this user write to the file and its folder.",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened: let this user write to the file and its folder.",
    sqlite3.SQLITE_NOTADB: "the file is no database: move it away or name another; it was left as it is.",
    sqlite3.SQLITE_CORRUPT: "the database is damaged: restore a backup, or move it away.",
}
_BY_ERRNO = {
    errno.ENOSPC: _FULL,
    errno.EACCES: _BY_CODE[sqlite3.SQLITE_READONLY],
    errno.EPERM: _BY_CODE[sqlite3.SQLITE_READONLY],
    errno.EROFS: _BY_CODE[sqlite3.SQLITE_READONLY],
    errno.ENOENT: "the folder cannot be made there: name another path.",
    errno.EISDIR: "this is a folder: name a file in it.",
    errno.ENOTDIR: "a part of the path is a file, not a folder: name another path.",
    errno.EEXIST: "a part of the path is a file, not a folder: name another path.",
}
_PRIMARY = 0xFF  # extended result codes carry the primary one in their lowest byte


def map_error(path: Path, error: sqlite3.Error | OSError) -> StoreUnavailable:
    """`error` as StoreUnavailable, with `error` as its cause."""
    if isinstance(error, OSError):
        remedy = _BY_ERRNO.get(error.errno or 0)
    else:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & _PRIMARY == sqlite3.SQLITE_CANTOPEN and not os.access(path.parent, os.W_OK):
            code = sqlite3.SQLITE_READONLY  # what SQLite cannot make there are its files beside the database
        remedy = _BY_CODE.get(code) or _BY_CODE.get(code & _PRIMARY)
    line = StoreUnavailable(f"{path}: {remedy or f'the database failed ({error}); look at the disk.'}")
    line.outage = remedy is not None
    line.__cause__ = error
    return line
