"""Files that stay open for a process's life: whether their names still mean them.

A file that is moved, deleted or replaced goes on being written by whoever has it open, and is found by
nobody afterwards. Files are only looked at by name: to open and close one would give up SQLite's locks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

_Identity: TypeAlias = "tuple[int, int] | None"
_ANY: _Identity = None
"""Of a file system that numbers its files anew at every look: there only absence tells."""

_REMEDY = (
    "nothing more is taken. Put back what was there, with the files beside it (-wal, -shm), "
    "and start Parley again; to restore a backup, stop Parley first"
)


class OpenedFiles:
    """Those of `paths` that are there, to be made right after they were opened.

    They are looked at once in `every` seconds at most.
    """

    def __init__(self, *paths: Path, every: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._known = [(path, _stable(path)) for path in paths if path.exists()]
        self._every = every
        self._clock = clock
        self._next_look = 0.0
        self._trouble = ""

    def trouble(self) -> str:
        """Return a line about the first file that is not there any more, or ""; once said, it stays so."""
        if (now := self._clock()) >= self._next_look:
            self._next_look = now + self._every
            self._trouble = self._trouble or _find(self._known)
        return self._trouble


def _stable(path: Path) -> _Identity:
    first, second = _identity(path), _identity(path)
    return first if first == second else _ANY


def _identity(path: Path) -> _Identity:
    found = os.stat(path)  # noqa: PTH116 - a hundred times a second: Path.stat takes twice as long
    return found.st_dev, found.st_ino


def _find(known: Sequence[tuple[Path, _Identity]]) -> str:
    for path, identity in known:
        try:
            now = _identity(path)
        except (FileNotFoundError, NotADirectoryError):
            return f"{path}: was moved or deleted while Parley runs; {_REMEDY}."
        except OSError:
            continue  # out of reach for now: whoever writes to it will hear
        if identity not in (_ANY, now):
            return f"{path}: was replaced by another file while Parley runs; {_REMEDY}."
    return ""
