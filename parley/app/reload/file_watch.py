"""Files that are looked at now and then; nothing else is needed, also on network drives and in containers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

FileStamps: TypeAlias = "Mapping[Path, tuple[int, int, int] | None]"
"""What tells one state of a file from another; None where there is none."""

_MOST_UNSETTLED = 5.0


def stamp_files(paths: Iterable[Path]) -> FileStamps:
    """Return the stamps of files, through links: that is how containers replace whole folders."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


class SettledChanges:
    """Tells when files have changed and are at rest again: an editor may be in the middle of writing.

    `most` is how many seconds an unrest may last before the files are read all the same.
    """

    def __init__(self, known: FileStamps, most: float = _MOST_UNSETTLED) -> None:
        self._known = known
        self._most = most
        self._last: FileStamps | None = None
        self._since = 0.0

    def know(self, known: FileStamps) -> None:
        """Take these files in this state for what was read."""
        self._known, self._last = known, None

    def look(self, stamps: FileStamps, now: float) -> bool:
        """Return whether it is time to read the files."""
        if stamps == self._known:
            self._last = None
            return False
        if self._last is None:
            self._since = now
        settled = stamps == self._last or now - self._since >= self._most
        self._last = stamps
        return settled
