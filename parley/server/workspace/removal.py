"""Removal of folders that a stranger made: however deep they are, and whatever they may not be."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
REMOVED = "removed-"
"""How the name of what is being removed begins."""
LEFT_OVER = 3_600.0
"""Seconds after which nobody works any more on what lies aside."""


def remove_tree(folder: int, name: str, aside: int) -> None:
    """Remove what has this name in an opened folder, with all that it has.

    It first goes to the folder `aside`, as do the folders within it, one by one: so it is gone at once, no
    depth is too deep, and a kill leaves nothing but what `clear_aside` finds. Raises OSError.
    """
    waiting = [_moved(folder, name, aside)]
    while waiting:
        name = waiting.pop()
        if not stat.S_ISDIR(os.stat(name, dir_fd=aside, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=aside)
            continue
        inner = _opened(aside, name)
        try:
            waiting += _emptied(inner, aside)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=aside)


def clear_aside(aside: int, before: float) -> None:
    """Remove what was put aside before a time, and not removed as the process ended. Raises OSError."""
    with os.scandir(aside) as found:
        old = [each.name for each in found if each.stat(follow_symlinks=False).st_ctime < before]
    for name in old:
        remove_tree(aside, name, aside)


def _moved(folder: int, name: str, aside: int) -> str:
    """Move it aside; returns its name there. A folder moves only where it may be written."""
    new = f"{REMOVED}{secrets.token_hex(8)}"
    with suppress(NotADirectoryError):
        _allow(folder, name)
    os.rename(name, new, src_dir_fd=folder, dst_dir_fd=aside)
    return new


def _opened(folder: int, name: str) -> int:
    _allow(folder, name)
    return os.open(name, _OPEN_FOLDER, dir_fd=folder)


def _allow(folder: int, name: str) -> None:
    """Let its owner do all with a folder; a link that is put in its place just now is not followed."""
    try:
        found = os.open(name, _OPEN_FOLDER, dir_fd=folder)
    except PermissionError:
        # One that may not be read can be named all the same.
        found = os.open(name, getattr(os, "O_PATH", 0) | _OPEN_FOLDER, dir_fd=folder)
        with suppress(OSError):
            Path(f"/proc/self/fd/{found}").chmod(0o700)
    else:
        os.fchmod(found, 0o700)
    os.close(found)


def _emptied(inner: int, aside: int) -> list[str]:
    """Remove the files of a folder, and move its folders aside; returns their names there."""
    moved = []
    with os.scandir(inner) as found:
        entries = list(found)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            moved.append(_moved(inner, entry.name, aside))
        else:
            os.unlink(entry.name, dir_fd=inner)
    return moved
