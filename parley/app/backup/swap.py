"""Old data put aside and new data put into its place: wholly, or not at all.

Everything that is brought lies ready in a folder beside its place when the journal is written. Before that
nothing was changed; after it only names are, and whoever finds the journal can finish.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from parley.core.model.errors import ParleyError

STAGING, ASIDE, JOURNAL = ".restoring", "before-restore-", ".restore.json"
"""What a restore makes in a folder: what it brings, what was there before, and what is to be done."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """In `folder` the `old` names go aside, and the `new` ones come out of the folder of what is brought."""

    folder: Path
    old: Sequence[str]
    new: Sequence[str]


@dataclass(frozen=True, slots=True)
class Swap:
    """`source` is the backup, `aside` the name of the folders for what was there."""

    source: Path
    aside: str
    exchanges: Sequence[Exchange]


def aside_name(stamp: str) -> str:
    """Return the name of the folders for what was there until a restore at that time."""
    return f"{ASIDE}{stamp}"


def read_pending_swap(data: Path) -> Swap | None:
    """Return what was begun on this data folder and is not finished. Raises ParleyError."""
    journal = data / JOURNAL
    try:
        tree = json.loads(journal.read_bytes())
        exchanges = [Exchange(Path(one["folder"]), one["old"], one["new"]) for one in tree["exchanges"]]
        return Swap(Path(tree["source"]), tree["aside"], exchanges)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParleyError(f"{journal}: what a restore noted there cannot be read ({error}).") from error


def begin_swap(data: Path, swap: Swap) -> None:
    """Decide for the new: note on disk what is to be done. Raises OSError."""
    draft = data / f"{JOURNAL}.new"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(swap), file, default=str)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(data / JOURNAL)
    _flush(data)


def finish_swap(data: Path, swap: Swap) -> None:
    """Do what is noted, as far as it is not done yet, and forget the note. Raises OSError."""
    for each in swap.exchanges:
        _put_aside(each, each.folder / swap.aside)
        _put_in_place(each)
    for each in swap.exchanges:
        shutil.rmtree(each.folder / STAGING, ignore_errors=True)
    (data / JOURNAL).unlink(missing_ok=True)
    _flush(data)


def _put_aside(exchange: Exchange, aside: Path) -> None:
    staging = exchange.folder / STAGING
    for name in exchange.old:
        arrived = name in exchange.new and not os.path.lexists(staging / name)
        if arrived or os.path.lexists(aside / name) or not os.path.lexists(exchange.folder / name):
            continue
        aside.mkdir(mode=0o700, exist_ok=True)
        (exchange.folder / name).rename(aside / name)
    if aside.is_dir():
        _flush(aside)


def _put_in_place(exchange: Exchange) -> None:
    for name in exchange.new:
        staged = exchange.folder / STAGING / name
        if os.path.lexists(staged):
            staged.rename(exchange.folder / name)
    _flush(exchange.folder)


def _flush(folder: Path) -> None:
    """Put the names in a folder on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
