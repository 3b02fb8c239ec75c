"""Files go into a sandbox before a command, and what it changed comes back after it: ordinary files only."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from parley.server.workspace.batch import WorkspaceBatch
from parley.server.workspace.entries import WorkspaceEntry, walk_entries
from parley.server.workspace.folder import WorkspaceFolder
from parley.server.workspace.paths import PathRefused, make_file, open_file, opened_folder, split_path

_MOST_NAMED = 20
_MOST_NAME = 100


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a change of a file changes, too. A folder has none of it."""

    inode: int = 0
    size: int = 0
    written: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The paths of files that a command wrote and deleted, and why others of it were not taken."""

    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


NO_CHANGES = FileChanges()


def copy_in(folder: WorkspaceFolder, inside: int, user: int | None) -> Mapping[str, FileStamp]:
    """Copy a workspace to an opened folder in a sandbox; returns what is there now. Raises OSError.

    `user` is whom the sandbox belongs to, where that is another than we are. Files may be run in there.
    """
    before: dict[str, FileStamp] = {}
    for entry in folder.walk():
        with suppress(PathRefused):
            content = None if entry.is_folder else folder.read(entry.path)
            with _acting_as(user):
                before[entry.path] = _put(inside, entry, content)
    return before


def copy_back(
    folder: WorkspaceFolder, inside: int, user: int | None, before: Mapping[str, FileStamp]
) -> FileChanges:
    """Write to a workspace what became of its files, once nothing runs in the sandbox. Raises OSError.

    What the workspace got from elsewhere in the meantime stays.
    """
    found, changed = [], []
    with _acting_as(user):
        for entry in walk_entries(inside):
            found.append(entry)
            if _stamp(inside, entry) != before.get(entry.path):
                changed.append(entry)
    left_out = []
    with folder.batch() as batch:
        for path in _gone(before, {entry.path: entry.is_folder for entry in found}):
            batch.delete(path)
        for entry in changed:
            try:
                _take(batch, inside, entry, user)
            except (PathRefused, OSError) as error:
                left_out.append(_why(entry.path, error))
    left_out += [_why(path, why) for path, why in batch.refused.items()]
    if len(left_out) > _MOST_NAMED:
        left_out[_MOST_NAMED:] = [f"{len(left_out) - _MOST_NAMED} more"]
    written = (path for path in batch.files if path not in batch.refused)
    deleted = (path for path in batch.deleted if before[path] != FileStamp() and path not in batch.refused)
    return FileChanges(tuple(written), tuple(deleted), tuple(left_out))


def _why(path: str, error: object) -> str:
    return f"{path[:_MOST_NAME]!r}: {str(error)[:200]}"


def _put(inside: int, entry: WorkspaceEntry, content: bytes | None) -> FileStamp:
    parts = split_path(entry.path)
    if content is None:
        with opened_folder(inside, parts, make=True):
            return FileStamp()
    with (
        opened_folder(inside, parts[:-1], make=True) as folder,
        os.fdopen(make_file(folder, parts[-1]), "wb") as file,
    ):
        os.fchmod(file.fileno(), 0o700)
        file.write(content)
        file.flush()
        # An old time: what is written from now on has another.
        os.utime(file.fileno(), (entry.changed, entry.changed))
        return _stamp_of(os.fstat(file.fileno()))


def _stamp(inside: int, entry: WorkspaceEntry) -> FileStamp | None:
    """Return a file's stamp, None for what cannot be looked at."""
    if entry.is_folder:
        return FileStamp()
    folder, _, name = entry.path.rpartition("/")
    parts = tuple(part for part in folder.split("/") if part)
    with suppress(PathRefused, OSError), opened_folder(inside, parts) as opened:
        return _stamp_of(os.stat(name, dir_fd=opened, follow_symlinks=False))
    return None


def _stamp_of(about: os.stat_result) -> FileStamp:
    return FileStamp(about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def _gone(before: Mapping[str, FileStamp], found: Mapping[str, bool]) -> list[str]:
    """Return what is no more, the deepest first."""
    # A file in the place of a folder is another thing, and the other way round.
    gone = [path for path, stamp in before.items() if found.get(path) is not (stamp == FileStamp())]
    return sorted(gone, key=lambda each: (-each.count("/"), each))


def _take(batch: WorkspaceBatch, inside: int, entry: WorkspaceEntry, user: int | None) -> None:
    """Add one entry to what is taken over. Raises PathRefused and OSError."""
    if entry.is_folder:
        return batch.make_folder(entry.path)
    largest = batch.limits.file
    if entry.size > largest:
        raise PathRefused(f"it has more than {largest} bytes")
    parts = split_path(entry.path)
    with (
        _acting_as(user),
        opened_folder(inside, parts[:-1]) as opened,
        os.fdopen(open_file(opened, parts[-1]), "rb") as file,
    ):
        content = file.read(largest + 1)
    return batch.write(entry.path, content)


@contextmanager
def _acting_as(user: int | None) -> Iterator[None]:
    """A time in which this thread, root's, uses files as another user, who cannot reach ours."""
    if user is None:
        yield
        return
    library = ctypes.CDLL(None)
    library.setfsgid(user)
    library.setfsuid(user)
    try:
        yield
    finally:
        library.setfsuid(0)
        library.setfsgid(0)
