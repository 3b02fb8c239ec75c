"""Paths within a folder that a stranger writes in: each part is opened by itself, and no link is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DEEPEST = 20
LONGEST_NAME = 200
"""Bytes; a file system takes 255."""
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A named pipe is not waited for; it is refused once it is seen to be one.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_MADE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class PathRefused(Exception):
    """A path that leads elsewhere, or to something that is no file; the text says which and why."""


def split_path(path: str) -> tuple[str, ...]:
    """Return the parts of a path as an agent writes it: `/` is its own folder. Raises PathRefused."""
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if ".." in parts:
        raise PathRefused(f"{path[:200]}: a path may not go up")
    if len(parts) > DEEPEST or any(not _is_name(part) for part in parts):
        raise PathRefused(f"{path[:200]}: this is no path that a file can have here")
    return parts


def _is_name(part: str) -> bool:
    try:
        size = len(part.encode())
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return size <= LONGEST_NAME and part.isprintable() and "\\" not in part


def cut_bytes(text: str, most: int) -> str:
    """Return as much of the beginning of a text as has at most so many bytes."""
    return text.encode(errors="ignore")[: max(most, 0)].decode(errors="ignore")


@contextmanager
def opened_folder(root: Path | int, parts: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
    """Yield a descriptor of a folder under `root`, a path or an opened folder. Raises PathRefused."""
    found = os.open(".", _OPEN_FOLDER, dir_fd=root) if isinstance(root, int) else os.open(root, _OPEN_FOLDER)
    try:
        for part in parts:
            found = _entered(found, part, make=make)
        yield found
    except NotADirectoryError as error:
        raise PathRefused(f"/{'/'.join(parts)}: a part of it is no folder") from error
    except FileNotFoundError as error:
        raise PathRefused(f"/{'/'.join(parts)}: there is no such file or folder") from error
    except OSError as error:
        raise PathRefused(f"/{'/'.join(parts)}: {error.strerror}") from error
    finally:
        os.close(found)


def _entered(folder: int, name: str, *, make: bool) -> int:
    """Return a folder within one, which is closed. It stays open where there is an error."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
    inner = os.open(name, _OPEN_FOLDER, dir_fd=folder)
    os.close(folder)
    return inner


def open_file(folder: int, name: str) -> int:
    """Return a descriptor of a file that is one: no link, no pipe, no device. Raises PathRefused."""
    try:
        found = os.open(name, _OPEN_FILE, dir_fd=folder)
    except FileNotFoundError as error:
        raise PathRefused(f"{name}: there is no such file") from error
    except OSError as error:  # ELOOP for a link
        raise PathRefused(f"{name}: it cannot be read as a file") from error
    about = os.fstat(found)
    # A second name could be that of a file outside.
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        os.close(found)
        raise PathRefused(f"{name}: it is no ordinary file")
    return found


def make_file(folder: int, name: str) -> int:
    """Return a descriptor of a file that was not there before, to be written."""
    return os.open(name, _MADE_FILE, 0o600, dir_fd=folder)


@contextmanager
def opened_parent(root: Path, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """Yield an opened descriptor of a path's folder, and the name in it. Raises PathRefused."""
    parts = split_path(path)
    if not parts:
        raise PathRefused("/: this is the folder itself")
    with opened_folder(root, parts[:-1], make=make) as folder:
        yield folder, parts[-1]
