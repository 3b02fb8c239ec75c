"""Making a backup, of a Parley that may be running."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from parley.app.backup.file_copy import Progress, copy_file, digest_of, make_private
from parley.app.backup.layout import BackupSource, DataLayout, sibling_path
from parley.app.backup.manifest import BackupFile, Manifest, write_manifest
from parley.app.storage.paths import AGENT_DATABASE
from parley.core.model.errors import ParleyError
from parley.store.sqlite.backup import copy_database, schema_of, user_version
from parley.version import VERSION

SQLITE, POSTGRESQL = "sqlite", "postgresql"
"""What a manifest calls the engines; the store of a server is not in the backup."""

_ROOM_LEFT = 16 << 20
_READERS = {AGENT_DATABASE: user_version}
Free: TypeAlias = Callable[[Path], int]


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What was copied, and the paths that are neither files nor folders."""

    manifest: Manifest
    left_out: tuple[str, ...]

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(each.size for each in self.manifest.files)


def free_bytes(folder: Path) -> int:
    """Return how many bytes there is room for. Raises OSError."""
    return shutil.disk_usage(folder).free


def create_backup(
    layout: DataLayout, folder: Path, progress: Progress, free: Free = free_bytes
) -> BackupReport:
    """Copy everything into `folder`, which is new or empty; what was begun is removed when it fails.

    The store goes first, then the agent's database, then files: see docs/backup.md. Raises ParleyError.
    """
    made = _prepared(layout, folder)
    try:
        _demand_room(layout, folder, free)
        return _Copier(layout, folder, progress).run()
    except BaseException as error:
        removed = _emptied(folder, gone=made)
        if isinstance(error, OSError):
            left = "What was begun is removed." if removed else f"Remove {folder}: it is no whole backup."
            raise ParleyError(
                f"{error.filename or folder}: {error.strerror}; no backup was made. {left}"
            ) from error
        raise


class _Copier:
    def __init__(self, layout: DataLayout, folder: Path, progress: Progress) -> None:
        self._layout = layout
        self._folder = folder
        self._progress = progress
        self._kept: list[BackupFile] = []
        self._schemas: dict[str, int] = {}

    def run(self) -> BackupReport:
        """Copy, and write the manifest last."""
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        for name, path in self._layout.databases.items():
            if path.is_file():
                self._copy_database(name, path)
        left_out: list[str] = []
        found = list(self._layout.files(left_out))
        total, done = sum(each.size for each in found), 0
        for source in found:
            self._copy_file(source)
            done += source.size
            self._progress("files", done, total)
        os.sync()
        engine = SQLITE if self._layout.store else POSTGRESQL
        manifest = Manifest(VERSION, made_at, engine, self._schemas, self._kept)
        write_manifest(self._folder, manifest)
        return BackupReport(manifest, tuple(left_out))

    def _copy_database(self, name: str, path: Path) -> None:
        target = self._target(name)
        copy_database(path, target, lambda done, total: self._progress(name, done, total))
        self._schemas[name] = _READERS.get(path.name, schema_of)(target)
        state = target.stat()
        self._kept.append(BackupFile(name, state.st_size, digest_of(target), state.st_mtime_ns))

    def _copy_file(self, source: BackupSource) -> None:
        # What is removed just now is no part of it any more.
        with suppress(FileNotFoundError):
            self._kept.append(copy_file(source.path, self._target(source.name), source.name))

    def _target(self, name: str) -> Path:
        target = self._folder / name
        make_private(target.parent)
        return target


def _prepared(layout: DataLayout, folder: Path) -> bool:
    """Make the folder, for its owner alone; True where it was not there. Raises ParleyError."""
    whole = folder.resolve()
    for root in (layout.data, layout.memory):
        if whole.is_relative_to(root.resolve()):
            raise ParleyError(f"{folder} lies in {root}, which is to be copied: name another folder.")
    if not any(path.exists() for path in (*layout.databases.values(), layout.data)):
        raise ParleyError(f"There is nothing to back up: there is no {layout.data}.")
    try:
        new = not folder.exists()
        make_private(folder)
        if any(folder.iterdir()):
            raise ParleyError(f"{folder} is not empty: a backup needs a new folder, or an empty one.")
        folder.chmod(0o700)
    except OSError as error:
        raise ParleyError(f"{error.filename or folder}: {error.strerror}; name another folder.") from error
    return new


def _demand_room(layout: DataLayout, folder: Path, free: Free) -> None:
    """Say before what would fail in the middle. Raises ParleyError, OSError."""
    databases = [path for path in layout.databases.values() if path.is_file()]
    logs = [log for path in databases if (log := sibling_path(path, "-wal")).is_file()]
    needed = sum(path.stat().st_size for path in (*databases, *logs))
    needed += sum(each.size for each in layout.files([])) + _ROOM_LEFT
    require_room(folder, needed, free)


def require_room(folder: Path, needed: int, free: Free) -> None:
    """Raise ParleyError where `needed` bytes do not fit into `folder`. Raises OSError."""
    if (room := free(folder)) < needed:
        has, wants = format_megabytes(room), format_megabytes(needed)
        raise ParleyError(f"{folder}: there is room for {has}, and {wants} are needed.")


def format_megabytes(size: int) -> str:
    """Return a size for people to read."""
    return f"{size / 1_000_000:,.1f} MB"


def _emptied(folder: Path, *, gone: bool) -> bool:
    """Remove what was begun, and the folder itself where it was made; whether that went well."""
    try:
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        if gone:
            folder.rmdir()
    except OSError:
        return False
    return True
