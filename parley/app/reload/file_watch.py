"""Files that are looked at now and then; nothing else is needed, also on network drives and in containers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

FileStamps: TypeAlias = "Mapping[Path, tuple[int, int, int] | None]"
"""What tells one state of a file from another; None where there is none."""


def stamp_files(paths: Iterable[Path]) -> FileStamps:
    """Return the stamps of files, through links: that is how containers replace whole folders."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


class FileWatch:
    """Tells which files differ from those that were read, and for how long they have been at rest."""

    def __init__(self, known: FileStamps) -> None:
        self._known = known
        self._last = known
        self._since = 0.0

    def know(self, known: FileStamps) -> None:
        """Take these files in this state for what was read."""
        self._known = self._last = known

    def look(self, stamps: FileStamps, now: float) -> float | None:
        """Return for how many seconds changed files have not changed again; None where none has changed."""
        if stamps != self._last:
            self._last, self._since = stamps, now
        return None if stamps == self._known else now - self._since
