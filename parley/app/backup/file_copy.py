"""Copies of single files, with what tells that they are whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from parley.app.backup.manifest import BackupFile

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is copied, how many bytes of it are done, and of how many."""

_PART = 1 << 20


def copy_file(source: Path, target: Path, name: str) -> BackupFile:
    """Copy a file into a new one that is its owner's alone; `name` is what the manifest calls it.

    Links are not followed. Raises OSError.
    """
    digest, size = sha256(), 0
    with os.fdopen(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as old:
        modified = os.fstat(old.fileno()).st_mtime_ns
        with os.fdopen(
            os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
        ) as new:
            while part := old.read(_PART):
                new.write(part)
                digest.update(part)
                size += len(part)
    os.utime(target, ns=(modified, modified))
    return BackupFile(name, size, digest.hexdigest(), modified)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file that is no link. Raises OSError."""
    digest = sha256()
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        while part := file.read(_PART):
            digest.update(part)
    return digest.hexdigest()


def make_private(folder: Path) -> None:
    """Make a folder and those above it, where they are not there, for their owner alone. Raises OSError."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
