"""Many changes of a workspace at once: all of them, or none, whatever ends the process in the middle.

New files are written aside, and stored together. Then a list of what is to be done is put beside them: from
then on the changes are made, also by whoever opens the workspace after a crash.
"""

from __future__ import annotations

import ctypes
import errno
import json
import logging
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from parley.server.workspace.entries import WorkspaceEntry, WorkspaceLimits
from parley.server.workspace.paths import (
    PathRefused,
    make_file,
    open_file,
    opened_folder,
    opened_parent,
    split_path,
)
from parley.server.workspace.removal import remove_tree

_log = logging.getLogger(__name__)

_LIST = "changes.json"
_MOST_LISTED = 64 * 1024 * 1024
_NAME = re.compile(r"[0-9a-f]{32}")
_PASSING = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.ENOENT})
Refused = dict[str, str]
"""Paths that were not changed, and why."""


@dataclass
class WorkspaceBatch:
    """Changes that are collected: `files` have their content aside, under these names."""

    limits: WorkspaceLimits
    aside: int
    there: dict[str, WorkspaceEntry]
    deleted: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    refused: Refused = field(default_factory=dict)
    _size: int = 0

    def __post_init__(self) -> None:
        self._size = sum(entry.size for entry in self.there.values())

    def delete(self, path: str) -> None:
        """Delete a file that was there before, or a folder if nothing is left in it then."""
        if (entry := self.there.get(path)) is None:
            return
        if entry.is_folder and any(each.startswith(f"{path}/") for each in self.there):
            return
        del self.there[path]
        self._size -= entry.size
        self.deleted.append(path)

    def make_folder(self, path: str) -> None:
        """Make a folder. Raises PathRefused, WorkspaceFull."""
        split_path(path)
        self.limits.check_room(self._size, len(self.there))
        self._take(WorkspaceEntry(path, 0, 0.0, is_folder=True))
        self.folders.append(path)

    def write(self, path: str, content: bytes) -> None:
        """Write a file whole, in the place of one that is there.

        Raises PathRefused, WorkspaceFull, OSError.
        """
        split_path(path)
        self.limits.check_file(path, len(content), self.limits.check_room(self._size, len(self.there)))
        name = secrets.token_hex(16)
        try:
            with os.fdopen(make_file(self.aside, name), "wb") as file:
                file.write(content)
        except OSError:
            _remove(self.aside, name)
            raise
        self.files[path] = name
        self._take(WorkspaceEntry(path, len(content), 0.0))

    def _take(self, entry: WorkspaceEntry) -> None:
        before = self.there.get(entry.path)
        self.there[entry.path] = entry
        self._size += entry.size - (before.size if before else 0)

    def as_json(self) -> str:
        """Return the list of what is to be done."""
        return json.dumps({"deleted": self.deleted, "folders": self.folders, "files": self.files})


@contextmanager
def batch_in(
    root: Path, unfinished: Path, limits: WorkspaceLimits, there: Iterable[WorkspaceEntry]
) -> Iterator[WorkspaceBatch]:
    """Yield what collects changes; they are made when this ends without an error.

    The caller sees to it that nothing else is written meanwhile. Raises PathRefused, OSError.
    """
    with opened_folder(unfinished, ()) as aside:
        batch = WorkspaceBatch(limits, aside, {entry.path: entry for entry in there})
        try:
            yield batch
            if not (batch.deleted or batch.folders or batch.files):
                return
            _store(aside)
            _put_list(aside, batch.as_json())
        except BaseException:
            # Without the list first, the next one to open the workspace would miss the files.
            with suppress(FileNotFoundError):
                os.unlink(_LIST, dir_fd=aside)
            _remove(aside, *batch.files.values())
            raise
        batch.refused |= _change(root, aside, json.loads(batch.as_json()))


def finish_batch(root: Path, unfinished: Path) -> None:
    """Make the changes that a process began with and did not end. Raises PathRefused, OSError.

    A list that cannot be read as one is set aside beside `root`, and told in the log.
    """
    with opened_folder(unfinished, ()) as aside:
        try:
            listed = _read_list(aside)
        except FileNotFoundError:
            return  # another process was first
        except ValueError as error:
            _set_aside(root.parent, unfinished / _LIST, error)
            return
        _change(root, aside, listed)


def _read_list(aside: int) -> dict[str, Any]:
    """Return the list of changes. Raises ValueError for what is none, OSError where it cannot be read now."""
    try:
        file = open_file(aside, _LIST)
    except PathRefused as error:
        if isinstance(cause := error.__cause__, OSError) and cause.errno in _PASSING:
            raise cause from error
        raise ValueError("it is no ordinary file, or may not be read") from error
    with os.fdopen(file, "rb") as opened:
        content = opened.read(_MOST_LISTED + 1)
    if len(content) > _MOST_LISTED:
        raise ValueError(f"it has more than {_MOST_LISTED} bytes")
    try:
        listed = json.loads(content)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if not _is_list_of_changes(listed):
        raise ValueError("it does not say which files to delete, to make and to move")
    return cast("dict[str, Any]", listed)


def _is_list_of_changes(listed: object) -> bool:
    if not isinstance(listed, dict) or not isinstance(files := listed.get("files"), dict):
        return False
    # A name leads to a file that was written aside, and nowhere else.
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in files.values()):
        return False
    paths = (listed.get("deleted"), listed.get("folders"))
    return all(isinstance(each, list) and all(isinstance(path, str) for path in each) for each in paths)


def _set_aside(place: Path, listed: Path, error: ValueError) -> None:
    """Rename a damaged list; who renames it tells of it. Raises OSError."""
    kept = place / f"damaged-{secrets.token_hex(8)}"
    with suppress(FileNotFoundError):
        listed.rename(kept)
        _log.error(
            "%s cannot be read (%s): the last changes of these files were made in part, or not at all. It is"
            " %s now: have the agent make the changes again, then delete it. Check the disk if this recurs.",
            listed, str(error)[:200], kept,
        )  # fmt: skip


def is_unfinished(unfinished: Path) -> bool:
    """Return whether a process began with changes, and they are not made yet."""
    return os.path.lexists(unfinished / _LIST)


@dataclass(frozen=True, slots=True)
class _Changes:
    """The single changes; each may have been made before."""

    root: Path
    aside: int
    files: dict[str, str]

    def delete(self, path: str) -> None:
        with suppress(PathRefused, FileNotFoundError), opened_parent(self.root, path) as (folder, name):
            try:
                os.rmdir(name, dir_fd=folder)
            except NotADirectoryError:
                remove_tree(folder, name, self.aside)

    def make_folder(self, path: str) -> None:
        with opened_folder(self.root, split_path(path), make=True):
            pass

    def move(self, path: str) -> None:
        with opened_parent(self.root, path, make=True) as (folder, name), suppress(FileNotFoundError):
            os.replace(self.files[path], name, src_dir_fd=self.aside, dst_dir_fd=folder)


def _change(root: Path, aside: int, listed: dict[str, Any]) -> Refused:
    """Make changes, each once, and forget the list; return what was not to be changed."""
    refused: Refused = {}
    changes = _Changes(root, aside, listed["files"])
    orders = ((changes.delete, "deleted"), (changes.make_folder, "folders"), (changes.move, "files"))
    for change, path in ((change, path) for change, kind in orders for path in listed[kind]):
        try:
            change(path)
        except (PathRefused, OSError) as error:
            refused[path] = str(error)[:200]
    _store(aside)
    _remove(aside, *(listed["files"][path] for path in refused if path in listed["files"]))
    os.unlink(_LIST, dir_fd=aside)
    return refused


def _remove(aside: int, *names: str) -> None:
    for name in names:
        with suppress(OSError):
            os.unlink(name, dir_fd=aside)


def _put_list(aside: int, text: str) -> None:
    name = secrets.token_hex(16)
    with os.fdopen(make_file(aside, name), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(name, _LIST, src_dir_fd=aside, dst_dir_fd=aside)
    os.fsync(aside)


def _store(folder: int) -> None:
    """Store what was written so far to the file system of a folder; one call costs less than one a file."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "syncfs"):  # macOS
        os.sync()
    elif library.syncfs(folder):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
