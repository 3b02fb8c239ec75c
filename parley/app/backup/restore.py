"""Bringing a backup back: looked through first, then brought beside, then put into place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from parley.app.backup.create import POSTGRESQL, SQLITE, Free, free_bytes, require_room
from parley.app.backup.file_copy import Progress, copy_file, make_private
from parley.app.backup.layout import BESIDE, LOCKS, DataLayout, sibling_path
from parley.app.backup.manifest import NAME, BackupFile, Manifest, read_manifest
from parley.app.backup.swap import (
    ASIDE,
    JOURNAL,
    STAGING,
    Exchange,
    Swap,
    aside_name,
    begin_swap,
    finish_swap,
)
from parley.app.backup.verify import verify_backup
from parley.app.storage.paths import DATABASE
from parley.core.model.errors import ParleyError


@dataclass(frozen=True, slots=True)
class Restored:
    """What was brought, and the folders with what was there before."""

    manifest: Manifest
    aside: tuple[Path, ...]


def restore(
    layout: DataLayout, folder: Path, progress: Progress, *, replace: bool = False, free: Free = free_bytes
) -> Restored:
    """Bring back what `folder` has; whoever calls holds the locks of the data. Raises ParleyError.

    Where there is data already it is refused, unless `replace` says to put that aside. Nothing that is there
    changes before all of the backup was found to be whole and lies beside its place.
    """
    manifest = read_manifest(folder)
    places = _places(layout, folder, manifest)
    try:
        old = {root: _old(layout, root) for root in layout.roots}
        _demand_free_places(layout, old, replace=replace)
        _demand_room(layout, places, free)
        verify_backup(folder, manifest, progress)
        swap = _staged(layout, folder, places, old, progress)
        begin_swap(layout.data, swap)
        finish_swap(layout.data, swap)
    except OSError as error:
        raise ParleyError(
            f"{error.filename or layout.data}: {error.strerror}; call the restore again when that is mended."
        ) from error
    aside = (each.folder / swap.aside for each in swap.exchanges)
    return Restored(manifest, tuple(path for path in aside if path.is_dir()))


def _places(layout: DataLayout, folder: Path, manifest: Manifest) -> Mapping[Path, BackupFile]:
    """Return where each file belongs. Raises ParleyError for what does not fit here."""
    engine = SQLITE if layout.store else POSTGRESQL
    if manifest.store != engine:
        raise ParleyError(
            f"{folder} was made with a store on {manifest.store:.20}, and store.url names one on {engine}: "
            "see docs/backup.md."
        )
    if engine == SQLITE and DATABASE not in {each.path for each in manifest.files}:
        raise ParleyError(f"{folder / NAME} names no {DATABASE}: this is no whole backup.")
    places: dict[Path, BackupFile] = {}
    for each in manifest.files:
        place = layout.path_of(each.path)
        if place is None or place in places:
            raise ParleyError(f"{folder / NAME} cannot be used: there is no place for {each.path[:100]!r}.")
        places[place] = each
    return places


def _root_of(layout: DataLayout, place: Path) -> Path:
    return next(root for root in layout.roots if place.is_relative_to(root))


def _old(layout: DataLayout, root: Path) -> Sequence[str]:
    """Return the names in a root that a restore would put aside."""
    if layout.store is not None and root not in (layout.data, layout.memory):
        candidates = [layout.store, *(sibling_path(layout.store, ending) for ending in BESIDE)]
        found = [path.name for path in candidates if os.path.lexists(path)]
    else:
        found = sorted(os.listdir(root)) if root.is_dir() else []  # noqa: PTH208
    # Locks are held by whoever restores, and stay.
    locks = {sibling_path(path, ending).name for path in layout.databases.values() for ending in LOCKS}
    stay = {STAGING, JOURNAL, f"{JOURNAL}.new"} | locks
    return [name for name in found if name not in stay and not name.startswith(ASIDE)]


def _demand_free_places(layout: DataLayout, old: Mapping[Path, Sequence[str]], *, replace: bool) -> None:
    for root, names in old.items():
        if names and not replace:
            raise ParleyError(
                f"{root} has data already ({', '.join(names[:3])}{', ...' if names[3:] else ''}). "
                "Add --replace to put it aside, or name another data_dir."
            )
        for name in names:
            if os.path.ismount(root / name):
                raise ParleyError(
                    f"{root / name} is a disk of its own, which cannot be put aside: unmount it first."
                )


def _demand_room(layout: DataLayout, places: Mapping[Path, BackupFile], free: Free) -> None:
    for root in layout.roots:
        needed = sum(each.size for place, each in places.items() if _root_of(layout, place) == root)
        if needed:
            make_private(root)
            require_room(root, needed, free)


def _staged(
    layout: DataLayout,
    folder: Path,
    places: Mapping[Path, BackupFile],
    old: Mapping[Path, Sequence[str]],
    progress: Progress,
) -> Swap:
    """Bring everything beside its place. Raises ParleyError, OSError; nothing is left then."""
    staging = [root / STAGING for root in layout.roots]
    try:
        for path in staging:
            shutil.rmtree(path, ignore_errors=True)  # of a restore that ended before anything was decided
        _bring(layout, folder, places, progress)
        os.sync()
    except BaseException:
        for path in staging:
            shutil.rmtree(path, ignore_errors=True)
        raise
    stamp = aside_name(datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ"))
    return Swap(folder.resolve(), stamp, tuple(_exchanges(layout, old)))


def _bring(layout: DataLayout, folder: Path, places: Mapping[Path, BackupFile], progress: Progress) -> None:
    total, done = sum(each.size for each in places.values()), 0
    for place, each in places.items():
        root = _root_of(layout, place)
        target = root / STAGING / place.relative_to(root)
        make_private(target.parent)
        brought = copy_file(folder / each.path, target, each.path)
        if brought.sha256 != each.sha256:
            raise ParleyError(f"{folder / each.path} has changed just now: nothing was restored.")
        os.utime(target, ns=(each.modified, each.modified))
        done += each.size
        progress("restored", done, total)


def _exchanges(layout: DataLayout, old: Mapping[Path, Sequence[str]]) -> Iterator[Exchange]:
    for root in layout.roots:
        staging = root / STAGING
        new = sorted(os.listdir(staging)) if staging.is_dir() else []  # noqa: PTH208
        if new or old[root]:
            yield Exchange(root, old[root], new)
