"""One compressed file that only its owner may read."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from parley.core.model.errors import ParleyError

_ABOUT = {
    "versions.json": "versions of Parley, Python, the system and packages",
    "config.json": "which settings are set; texts, names and numbers that are yours are masked",
    "doctor.json": "what this examination found, without texts that may quote others",
    "store.json": "numbers and ages of rows, the schema's version",
    "health.json": "how each part of the running Parley is",
    "metrics.json": "figures of the running Parley",
    "log.jsonl": "its last log lines: time, level, place and our own words, without what was filled in",
}


def describe_contents(contents: Mapping[str, bytes]) -> Iterator[str]:
    """Yield a line for each file: its name, its size, and what it is."""
    for name, content in contents.items():
        yield f"  {name:16}{len(content):>8,} bytes  {_ABOUT[name]}"


def demand_new_file(path: Path) -> None:
    """Raise ParleyError for a bundle that could not be written there."""
    if path.exists():
        raise ParleyError(f"{path} is there already: name another file, or remove it.")
    if not path.absolute().parent.is_dir():
        raise ParleyError(f"{path.absolute().parent} is no folder: make it, or name another file.")


def write_archive(path: Path, contents: Mapping[str, bytes], at: float) -> None:
    """Write a new file, wholly or not at all. Raises ParleyError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise ParleyError(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name, content in contents.items():
                # Owner and group are left out: they are somebody's names.
                entry = tarfile.TarInfo(f"parley-support/{name}")
                entry.size, entry.mode, entry.mtime = len(content), 0o600, at
                archive.addfile(entry, io.BytesIO(content))
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise ParleyError(f"{path} cannot be written: {error.strerror}.") from error
