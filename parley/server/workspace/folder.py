"""One thread's files: listed, read, written and deleted by path, within a quota."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from parley.server.workspace.batch import WorkspaceBatch, batch_in, finish_batch, is_unfinished
from parley.server.workspace.entries import (
    WorkspaceEntry,
    WorkspaceFull,
    WorkspaceLimits,
    entries_of,
    walk_entries,
)
from parley.server.workspace.paths import (
    LONGEST_NAME,
    PathRefused,
    cut_bytes,
    make_file,
    open_file,
    opened_folder,
    opened_parent,
    split_path,
)
from parley.server.workspace.removal import remove_tree

FILES, UNFINISHED = "files", "unfinished"
_PIECE = 1 << 20
_SAME_NAMES = 1_000


class WorkspaceFolder:
    """The files of one thread. All of it blocks: call it in a thread."""

    def __init__(self, place: Path, limits: WorkspaceLimits, lock: threading.Lock) -> None:
        self._place, self._limits, self._lock = place, limits, lock
        self.root = place / FILES

    @property
    def largest(self) -> int:
        """How many bytes one file may have."""
        return self._limits.file

    @property
    def limits(self) -> WorkspaceLimits:
        """What it may keep."""
        return self._limits

    def make(self) -> None:
        """Make sure that there is one, and note that it is in use."""
        for folder in (self.root, self._place / UNFINISHED):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(self._place)
        self.finish_batch()

    def entries(self, path: str = "/") -> list[WorkspaceEntry]:
        """Return what is in a folder, by name. Raises PathRefused."""
        parts = split_path(path)
        with opened_folder(self.root, parts) as folder:
            return sorted(entries_of(folder, parts), key=lambda entry: entry.path)

    def walk(self) -> Iterator[WorkspaceEntry]:
        """Yield all files and folders; of what lies too deep, the folder around it."""
        return walk_entries(self.root)

    def room(self) -> int:
        """Return how many bytes there is room for. Raises WorkspaceFull where there is none."""
        size = number = 0
        for entry in self.walk():
            size, number = size + entry.size, number + 1
            self._limits.check_room(size, number)
        return self._limits.check_room(size, number)

    def read(self, path: str, most: int = 0) -> bytes:
        """Return a file of at most `most` bytes, by default of the size that files may have.

        Raises PathRefused, also for a larger one.
        """
        most = most or self._limits.file
        with (
            opened_parent(self.root, path) as (folder, name),
            os.fdopen(open_file(folder, name), "rb") as file,
        ):
            if os.fstat(file.fileno()).st_size <= most and len(content := file.read(most + 1)) <= most:
                return content
        raise PathRefused(f"{path}: it has more than {most} bytes")

    def write(self, path: str, content: bytes) -> None:
        """Write a file whole, in the place of one that is there. Raises PathRefused, WorkspaceFull."""
        with self._lock:
            self._write(path, content)

    @contextmanager
    def changed(self, path: str) -> Iterator[tuple[bytes, Callable[[bytes], None]]]:
        """Yield a file, and what writes it anew before anybody else. Raises PathRefused, WorkspaceFull."""
        with self._lock:
            yield self.read(path), lambda content: self._write(path, content)

    def add(self, folder: str, name: str, content: bytes) -> str:
        """Write a file that takes no other's name, and return its path; once, where it is there already.

        Raises PathRefused, WorkspaceFull.
        """
        with self._lock:  # Two of one name may come at once.
            for number in range(1, _SAME_NAMES):
                path = f"{folder}/{_numbered(name, number)}"
                with suppress(PathRefused):
                    if self.read(path) != content:
                        continue
                    return path
                if not self.has(path):
                    self._write(path, content)
                    return path
        raise WorkspaceFull(f"{name}: there are too many files of this name")

    def has(self, path: str) -> bool:
        """Return whether anything has this path."""
        try:
            with opened_parent(self.root, path) as (folder, name):
                os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (PathRefused, FileNotFoundError):
            return False
        return True

    @contextmanager
    def batch(self) -> Iterator[WorkspaceBatch]:
        """Yield what collects changes; they are made together when this ends without an error.

        Raises PathRefused, OSError; nothing is changed then.
        """
        with self._lock, batch_in(self.root, self._place / UNFINISHED, self._limits, self.walk()) as batch:
            yield batch

    def finish_batch(self) -> None:
        """Make the changes that were under way when a process ended. Raises PathRefused, OSError."""
        if is_unfinished(self._place / UNFINISHED):
            with self._lock:
                finish_batch(self.root, self._place / UNFINISHED)

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that it has. Raises PathRefused."""
        with (
            opened_parent(self.root, path) as (folder, name),
            opened_folder(self._place, (UNFINISHED,)) as aside,
        ):
            remove_tree(folder, name, aside)

    def _write(self, path: str, content: bytes) -> None:
        self._limits.check_file(path, len(content), self.room())
        with opened_parent(self.root, path, make=True) as (folder, name):
            self._replace(folder, name, content)

    def _replace(self, folder: int, name: str, content: bytes) -> None:
        """Put a whole file in the place of a name; a link of that name is replaced, never followed."""
        unfinished = secrets.token_hex(16)
        with opened_folder(self._place, (UNFINISHED,)) as aside:
            try:
                with os.fdopen(make_file(aside, unfinished), "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, name, src_dir_fd=aside, dst_dir_fd=folder)
            except OSError:
                with suppress(OSError):
                    os.unlink(unfinished, dir_fd=aside)
                raise


def _numbered(name: str, number: int) -> str:
    """Return a name as the first, second or later file of it has it; it ends as before."""
    if number == 1:
        return name
    stem, dot, suffix = name.rpartition(".")
    end = f"-{number}{dot + suffix if stem else ''}"
    return cut_bytes(stem or suffix, LONGEST_NAME - len(end.encode())) + end
