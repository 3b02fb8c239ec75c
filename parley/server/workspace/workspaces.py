"""All threads' folders of files: found by the thread's id, deleted with it, and after a time without use."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from uuid import UUID

from parley.server.workspace.entries import WorkspaceLimits
from parley.server.workspace.folder import UNFINISHED, WorkspaceFolder
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.removal import LEFT_OVER, REMOVED, clear_aside, remove_tree

DAY = 86_400.0
NO_SMALLER = WorkspaceLimits()


@dataclass(frozen=True, slots=True)
class Workspaces:
    """Folders under `root`, which nobody but this user may look into; `keep` is seconds, 0 for ever."""

    root: Path
    limits: WorkspaceLimits = NO_SMALLER
    keep: float = 30 * DAY
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    def of(self, thread_id: str) -> WorkspaceFolder:
        """Return a thread's folder, which is made where there is none. Raises ValueError for no UUID."""
        self.root.mkdir(parents=True, exist_ok=True)
        # What is in there may be any program of a stranger, also one with a set-user-id bit.
        self.root.chmod(0o700)
        folder = WorkspaceFolder(self.root / str(UUID(thread_id)), self.limits, self._lock)
        folder.make()
        return folder

    def copy(self, thread_id: str, other: str) -> None:
        """Give another thread, which has none, the files of one. Raises OSError."""
        if (source := self.find(thread_id)) is None:
            return
        target = self.of(other)
        for entry in source.walk():
            # What is no ordinary file, or goes just now, is not a file that anybody was shown.
            with suppress(PathRefused):
                if not entry.is_folder:
                    target.write(entry.path, source.read(entry.path))

    def find(self, thread_id: str) -> WorkspaceFolder | None:
        """Return a thread's folder if there is one; it is not noted as used. Raises OSError."""
        try:
            place = self.root / str(UUID(thread_id))
        except ValueError:
            return None
        folder = WorkspaceFolder(place, self.limits, self._lock)
        if not folder.root.is_dir():
            return None
        folder.finish_batch()
        return folder

    def delete(self, thread_id: str) -> None:
        """Delete a thread's folder with all files; none is fine. Raises OSError."""
        with suppress(FileNotFoundError):
            self._remove(str(UUID(thread_id)))

    def expire(self, now: float) -> int:
        """Delete the folders that nobody used for `keep`, and return how many. Raises OSError.

        What a process that was killed left of files and removals goes, too.
        """
        if not self.root.is_dir():
            return 0
        for name in self.older(now - LEFT_OVER):
            self.find(name)  # What was under way is done first: its files lie aside.
            with suppress(FileNotFoundError), _opened(self.root / name / UNFINISHED) as aside:
                clear_aside(aside, now - LEFT_OVER)
        for left in self.root.glob(f"{REMOVED}*"):
            if left.lstat().st_ctime < now - LEFT_OVER:
                self._remove(left.name)
        old = self.older(now - self.keep) if self.keep else []
        for name in old:
            self._remove(name)
        return len(old)

    def older(self, before: float) -> list[str]:
        """Return the ids of the threads whose folders nobody used since a time. Raises OSError."""
        if not self.root.is_dir():
            return []
        return [each.name for each in self.root.iterdir() if _is_id(each.name) and _used(each) < before]

    def _remove(self, name: str) -> None:
        with _opened(self.root) as root:
            remove_tree(root, name, root)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    found = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield found
    finally:
        os.close(found)


def _is_id(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _used(folder: Path) -> float:
    try:
        return folder.lstat().st_mtime
    except FileNotFoundError:  # it goes just now
        return inf
