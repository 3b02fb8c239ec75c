"""Whether a backup is whole, and of a Parley that this one can follow."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from parley.app.backup.file_copy import Progress, digest_of
from parley.app.backup.manifest import BackupFile, Manifest
from parley.app.storage.paths import AGENT_DATABASE, DATABASE
from parley.core.model.errors import ParleyError
from parley.server.storage.sqlite.database import SCHEMA_VERSION
from parley.store.sqlite.backup import schema_of, user_version
from parley.store.sqlite.database.schema import STEPS

_NAMED = 5
"""Damaged files that are named; more are counted."""


def verify_backup(folder: Path, manifest: Manifest, progress: Progress) -> None:
    """Read every file of a backup. Raises ParleyError, which names what is damaged, missing or too new."""
    total, done = sum(each.size for each in manifest.files), 0
    wrong: list[str] = []
    for each in manifest.files:
        if trouble := _trouble(folder, each):
            wrong.append(f"{folder / each.path} {trouble}")
        done += each.size
        progress("checked", done, total)
    if wrong:
        more = f"\nand {len(wrong) - _NAMED} more" if wrong[_NAMED:] else ""
        raise ParleyError("nothing was restored:\n" + "\n".join(wrong[:_NAMED]) + more)
    for each in manifest.files:
        _demand_known_schema(folder, each.path)


def _trouble(folder: Path, kept: BackupFile) -> str:
    path = folder / kept.path
    try:
        if any(above.is_symlink() for above in _ways(folder, path)):
            return "is reached through a symbolic link"
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            return "is no file"
        if state.st_size != kept.size:
            return f"is damaged: {state.st_size} bytes, and {kept.size} were backed up"
        return "" if digest_of(path) == kept.sha256 else "is damaged: its SHA-256 is another"
    except (FileNotFoundError, NotADirectoryError):
        return "is missing"
    except OSError as error:
        return f"cannot be read: {os.strerror(error.errno or 0)}"


def _ways(folder: Path, path: Path) -> list[Path]:
    return [above for above in path.parents if above != folder and above.is_relative_to(folder)]


def _demand_known_schema(folder: Path, name: str) -> None:
    """Believe what the database says, not what the manifest says of it."""
    database = folder / name
    if name == DATABASE:
        version, known = schema_of(database), len(STEPS)
    elif name == AGENT_DATABASE:
        version, known = user_version(database), SCHEMA_VERSION
    else:
        return
    if version > known:
        raise ParleyError(
            f"{database} was written by a newer Parley (schema {version}, this one knows {known}): "
            "update Parley."
        )
