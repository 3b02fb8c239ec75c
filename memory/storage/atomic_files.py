"""Atomic file writes: written beside, flushed and renamed; and locks that end with their process.

Only `os` functions are used, so that tests can stop a process between any two of them.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from parley.core.model.errors import DocumentConflict, MemoryFailed

# A holder only ever reads or writes a few files.
_LONGEST_WAIT = 10.0
_LOCK_POLL = 0.01
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")
_NOT_OURS = "this process may not do that. Give its user the folder, or set memory.storage_path elsewhere."
_REMEDIES = {
    errno.ENOSPC: "the disk is full. Free some space; nothing is lost.",
    errno.EDQUOT: "the disk quota is used up. Free some space; nothing is lost.",
    errno.EROFS: "the file system is read-only. Mount it for writing, or set memory.storage_path elsewhere.",
    errno.EACCES: _NOT_OURS,
    errno.EPERM: _NOT_OURS,
}


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """A file's bytes and state; an absent file has neither."""

    data: bytes = b""
    modified: int = 0
    digest: str = ""

    @property
    def revision(self) -> str:
        """Return a value that changes with every change: mtime in nanoseconds, size and digest."""
        return f"{self.modified}-{len(self.data)}-{self.digest[:16]}" if self.digest else ""


def map_os_error(path: Path, error: OSError) -> MemoryFailed:
    """Return a MemoryFailed that says what could not be used, why, and what helps."""
    reason = _REMEDIES.get(error.errno or 0, f"{error.strerror or error}. Check the disk and the folder.")
    return MemoryFailed(f"The memory at {path} cannot be used: {reason}")


def digest(data: bytes) -> str:
    """Return a short digest of a content."""
    return sha256(data).hexdigest()


def read(path: Path) -> FileSnapshot:
    """Read a file; an absent one is empty. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return FileSnapshot()
    try:
        modified, parts = os.fstat(descriptor).st_mtime_ns, []
        while part := os.read(descriptor, 1 << 20):
            parts.append(part)
    finally:
        os.close(descriptor)
    data = b"".join(parts)
    return FileSnapshot(data, modified, digest(data))


def write(files: Sequence[tuple[Path, bytes]], unless: Callable[[], bool] = lambda: False) -> None:
    """Replace files of one folder, in this order, each atomically.

    All are on disk under temporary names before the first is replaced; `unless` is called in between.
    Raises DocumentConflict when it returns True, and OSError.
    """
    folder = files[0][0].parent
    make_folder(folder)
    remove_temporaries(folder)
    written: list[tuple[Path, Path]] = []
    try:
        for path, data in files:
            temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
            written.append((temporary, path))
            _write_new(temporary, data)
        if unless():
            raise DocumentConflict(f"{files[-1][0]} changed since it was read")
        for temporary, path in written:
            os.replace(temporary, path)  # noqa: PTH105 - one of the functions that tests stop at
        flush_folder(folder)
    except (OSError, DocumentConflict):
        for temporary, _ in written:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
        raise


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except OSError as error:
        error.filename = error.filename or str(path)  # absent where the disk is full
        raise
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, each flushed to disk in its parent. Raises OSError."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)  # noqa: PTH102
    flush_folder(folder.parent)


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries to disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_temporaries(folder: Path) -> None:
    """Remove temporary files that a crash left. Raises OSError."""
    for name in os.listdir(folder):  # noqa: PTH208
        if _TEMPORARY.fullmatch(name):
            with suppress(FileNotFoundError):
                os.unlink(folder / name)  # noqa: PTH108


@contextmanager
def locked(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock file, shared or exclusive, between threads and between processes.

    The file stays: else two could hold locks on two files of one name. Raises MemoryFailed, OSError.
    """
    make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(descriptor, path, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path, kind: int) -> None:
    until = time.monotonic() + _LONGEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise MemoryFailed(
                    f"Another process holds {path} for more than {_LONGEST_WAIT:.0f} s. "
                    "Stop it, or wait until it is done; nothing is lost."
                ) from error
            time.sleep(_LOCK_POLL)
        else:
            return
