"""The list of a backup's files, written last: a folder without it is no whole backup."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from parley.core.model.errors import ParleyError
from parley.core.model.types import Json

NAME = "manifest.json"
FORMAT = 1

_LONGEST = 256 << 20
_LONGEST_NAME = 4096
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST = 1 << 62  # what a file's size and time stay below


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file of a backup; `modified` is in nanoseconds."""

    path: str
    size: int
    sha256: str
    modified: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """`made_at` is UTC as ISO 8601; `schemas` are the databases' versions, by their names in the backup."""

    parley: str
    made_at: str
    store: str
    schemas: Mapping[str, int]
    files: Sequence[BackupFile]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it, whole or not at all. Raises OSError."""
    draft = folder / f".{NAME}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump({"format": FORMAT} | asdict(manifest), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / NAME)


def read_manifest(folder: Path) -> Manifest:
    """Read what may be damaged, or made to harm. Raises ParleyError, which names what is wrong."""
    path = folder / NAME
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ParleyError(
            f"{path} is not there: {folder} is no backup, or one that was not finished."
        ) from error
    except OSError as error:
        raise ParleyError(f"{path} cannot be read: {error.strerror}.") from error
    if len(text) > _LONGEST:
        raise ParleyError(f"{path} is larger than the manifest of a backup ever is.")
    try:
        return _manifest(cast("Json", json.loads(text)))
    except (ValueError, RecursionError) as error:
        raise ParleyError(f"{path} cannot be used: {str(error)[:200]}.") from error


def _manifest(tree: Json) -> Manifest:
    """Check every value. Raises ValueError."""
    top = _mapping(tree, "it")
    if top.get("format") != FORMAT:
        raise ValueError(
            f"its format is {top.get('format')!r:.20}, and this Parley knows {FORMAT}: update Parley"
        )
    files = top.get("files")
    if not isinstance(files, list):
        raise ValueError("files is no list")
    schemas = _mapping(top.get("schemas"), "schemas")
    return Manifest(
        _text(top, "parley"),
        _text(top, "made_at"),
        _text(top, "store"),
        {name: _number(schemas, name) for name in schemas},
        [_kept(_mapping(each, "a file")) for each in files],
    )


def _kept(entry: Mapping[str, Json]) -> BackupFile:
    path, digest = _text(entry, "path"), _text(entry, "sha256")
    parts = path.split("/")
    if len(path) > _LONGEST_NAME or "\0" in path or not {"", ".", ".."}.isdisjoint(parts):
        raise ValueError(f"{path[:100]!r} leads out of the backup")
    if not _SHA256.fullmatch(digest):
        raise ValueError(f"{path[:100]!r} has no SHA-256")
    return BackupFile(path, _number(entry, "size"), digest, _number(entry, "modified"))


def _mapping(value: Json, what: str) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no object")
    return value


def _text(entry: Mapping[str, Json], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} is no text")
    return value


def _number(entry: Mapping[str, Json], key: str) -> int:
    value = entry.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise ValueError(f"{key} is no number")
    return value
