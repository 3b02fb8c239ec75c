"""All threads' folders of files: found by the thread's id, deleted with it, and after a time without use."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from parley.server.workspace.folder import WorkspaceFolder, WorkspaceLimits
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.removal import remove_tree

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
        """Return a thread's folder if there is one; it is not noted as used."""
        try:
            place = self.root / str(UUID(thread_id))
        except ValueError:
            return None
        folder = WorkspaceFolder(place, self.limits, self._lock)
        return folder if folder.root.is_dir() else None

    def delete(self, thread_id: str) -> None:
        """Delete a thread's folder with all files; none is fine. Raises OSError."""
        with suppress(FileNotFoundError):
            self._remove(str(UUID(thread_id)))

    def expire(self, now: float) -> int:
        """Delete the folders that nobody used for `keep`, and return how many. Raises OSError."""
        if not self.keep or not self.root.is_dir():
            return 0
        old = [each.name for each in self.root.iterdir() if each.lstat().st_mtime < now - self.keep]
        for name in old:
            self._remove(name)
        return len(old)

    def _remove(self, name: str) -> None:
        root = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            remove_tree(root, name)
        finally:
            os.close(root)
