"""What a workspace has: its entries, and how much of them there may be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from parley.server.workspace.paths import DEEPEST, PathRefused, opened_folder


class WorkspaceFull(PathRefused):
    """There is no room for a file: too many bytes, or too many files."""


@dataclass(frozen=True, slots=True)
class WorkspaceLimits:
    """What one thread may keep: `size` bytes in all, `files` of them and of folders, `file` bytes in one."""

    size: int = 200_000_000
    files: int = 1_000
    file: int = 50_000_000

    def check_room(self, size: int, number: int) -> int:
        """Return how many bytes there is room for beside so many. Raises WorkspaceFull."""
        if size >= self.size:
            raise WorkspaceFull(f"the workspace is full: it has room for {self.size} bytes")
        if number >= self.files:
            raise WorkspaceFull(f"the workspace is full: it has room for {self.files} files")
        return self.size - size

    def check_file(self, path: str, size: int, room: int) -> None:
        """Let a file of so many bytes be written. Raises WorkspaceFull."""
        if size > self.file:
            raise WorkspaceFull(f"{path}: a file may have {self.file} bytes at most")
        if size > room:
            raise WorkspaceFull(f"{path}: there is no room for it in the workspace")


@dataclass(frozen=True, slots=True)
class WorkspaceEntry:
    """A file or folder. `path` begins with a slash; `changed` is seconds since 1970."""

    path: str
    size: int
    changed: float
    is_folder: bool = False


def walk_entries(root: Path | int) -> Iterator[WorkspaceEntry]:
    """Yield all files and folders under a folder; of what lies too deep, the folder around it."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        with suppress(PathRefused), opened_folder(root, parts) as folder:
            for entry in entries_of(folder, parts):
                yield entry
                if entry.is_folder and len(parts) + 1 < DEEPEST:
                    waiting.append((*parts, entry.path.rpartition("/")[2]))


def entries_of(folder: int, parts: tuple[str, ...]) -> Iterator[WorkspaceEntry]:
    """Yield what is in an opened folder, whose path has these parts."""
    with os.scandir(folder) as found:
        for entry in found:
            with suppress(FileNotFoundError):  # it goes just now
                about = entry.stat(follow_symlinks=False)
                is_folder = stat.S_ISDIR(about.st_mode)
                path = "/" + "/".join((*parts, entry.name))
                yield WorkspaceEntry(path, 0 if is_folder else about.st_size, about.st_mtime, is_folder)
