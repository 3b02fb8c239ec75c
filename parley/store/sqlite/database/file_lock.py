"""One process for one database: a lock that the kernel takes back when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parley.core.model.errors import StoreInUse


@contextmanager
def lock_database(database: Path, *, exclusive: bool) -> Iterator[None]:
    """Hold `database`, alone or with others that do not ask to be alone.

    The lock file beside it stays: removing it would let two processes lock two files of one name.
    Raises StoreInUse when somebody is there already, OSError when the folder cannot be written.
    """
    path = database.with_name(database.name + ".lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(descriptor, database, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, database: Path, kind: int) -> None:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 20, 0).decode(errors="replace") or "unknown"
        raise StoreInUse(
            f"Parley is already running here (process {holder}): {database}. "
            "Stop it, or give this one a data folder of its own."
        ) from error
