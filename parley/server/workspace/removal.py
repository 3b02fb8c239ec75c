"""Removal of folders that a stranger made: however deep they are, and whatever they may not be."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(folder: int, name: str) -> None:
    """Remove what has this name in an opened folder, with all that it has.

    A folder within is first moved up beside it, so that no depth is too deep. Raises OSError.
    """
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=folder)
            continue
        inner = _opened(folder, name)
        try:
            waiting += _emptied(inner, folder)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=folder)


def _opened(folder: int, name: str) -> int:
    try:
        found = os.open(name, _OPEN_FOLDER, dir_fd=folder)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=folder)  # Nothing of the stranger's runs any more that could swap it.
        found = os.open(name, _OPEN_FOLDER, dir_fd=folder)
    os.fchmod(found, 0o700)
    return found


def _emptied(inner: int, folder: int) -> list[str]:
    """Remove the files of a folder, and move its folders out of it; returns their names there."""
    moved = []
    with os.scandir(inner) as found:
        for entry in list(found):
            if entry.is_dir(follow_symlinks=False):
                with suppress(PermissionError):
                    os.chmod(entry.name, 0o700, dir_fd=inner)
                aside = f".removed-{secrets.token_hex(8)}"
                os.rename(entry.name, aside, src_dir_fd=inner, dst_dir_fd=folder)
                moved.append(aside)
            else:
                os.unlink(entry.name, dir_fd=inner)
    return moved
