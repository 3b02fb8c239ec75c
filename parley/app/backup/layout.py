"""What belongs into a backup: its name there, and its place under a configuration."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from parley.app.backup.swap import ASIDE, JOURNAL, STAGING
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import AGENT_DATABASE, DATABASE, TERMINAL
from parley.app.storage.store import database_path
from parley.core.model.errors import ConfigError

MEMORY, DATA = "memory", "data"
"""Folders of a backup: memories in files, and the rest of the data folder."""
LOCKS = (".lock", ".lock-journal")
BESIDE = ("-wal", "-shm", "-journal", *LOCKS)
"""How the names of the files end that stand beside a database."""

_MEMORY_LOCKS = ".locks"


@dataclass(frozen=True, slots=True)
class BackupSource:
    """A file to be copied under `name`; `size` is about what it takes."""

    name: str
    path: Path
    size: int


@dataclass(frozen=True)
class DataLayout:
    """Where everything is. `store` is None where it is on a server. The paths are absolute."""

    data: Path
    memory: Path
    store: Path | None

    def path_of(self, name: str) -> Path | None:
        """Return where a file of a backup belongs; None where there is no place for it here."""
        if name in self.databases:
            return self.databases[name]
        part, _, rest = name.partition("/")
        if part not in (MEMORY, DATA) or not rest:
            return None
        place = (self.memory if part == MEMORY else self.data) / rest
        return None if any(map(self._is_ours, (place, *place.parents))) else place

    @cached_property
    def databases(self) -> Mapping[str, Path]:
        """Return the databases that there may be, the store first: see docs/backup.md for why."""
        own = self.data / TERMINAL
        found = {} if self.store is None else {DATABASE: self.store}
        found[AGENT_DATABASE] = self.data / AGENT_DATABASE
        return found | {f"{DATA}/{TERMINAL}/{name}": own / name for name in (DATABASE, AGENT_DATABASE)}

    @cached_property
    def roots(self) -> tuple[Path, ...]:
        """Return the folders whose contents a restore exchanges: the data folder, and those outside of it."""
        roots = [self.data]
        for path, root in ((self.memory, self.memory), (self.store, self.store and self.store.parent)):
            if path and root and not any(path.is_relative_to(known) for known in roots):
                roots.append(root)
        return tuple(roots)

    def files(self, left_out: list[str]) -> Iterator[BackupSource]:
        """Find everything that is no database; what is neither file nor folder goes to `left_out`."""
        for part, folder in ((MEMORY, self.memory), (DATA, self.data)):
            yield from self._under(part, folder, left_out, top=True)

    def _under(self, name: str, folder: Path, left_out: list[str], *, top: bool) -> Iterator[BackupSource]:
        for path in _listed(folder):
            # An operator may have moved a folder to a larger disk; further down no link is followed.
            state = _state(path, follow=top)
            if state is None or self._is_ours(path):
                continue
            inside = f"{name}/{path.name}"
            if stat.S_ISDIR(state.st_mode):
                if path != self.memory:
                    yield from self._under(inside, path, left_out, top=False)
            elif stat.S_ISREG(state.st_mode) and not path.is_symlink():
                yield BackupSource(inside, path, state.st_size)
            else:
                left_out.append(str(path))

    def _is_ours(self, path: Path) -> bool:
        """Return whether it is a database or beside one, a lock, or of a restore: never copied as a file."""
        if path.parent in self.roots and (path.name in (STAGING, JOURNAL) or path.name.startswith(ASIDE)):
            return True
        return path in self._reserved

    @cached_property
    def _reserved(self) -> frozenset[Path]:
        databases = {*self.databases.values(), self.data / DATABASE}
        sides = {sibling_path(one, ending) for one in databases for ending in BESIDE}
        return frozenset({*databases, *sides, self.memory / _MEMORY_LOCKS})


def data_layout(loaded: LoadedSettings) -> DataLayout:
    """Return where this configuration has everything. Raises ConfigError."""
    data = _absolute(loaded.data_dir)
    memory = _absolute(loaded.data_dir / loaded.settings.memory.storage_path)
    store = _absolute(database_path(loaded)) if loaded.settings.store.embedded else None
    if data.is_relative_to(memory):
        raise ConfigError("memory.storage_path: name a folder in the data folder, or one outside of it.")
    return DataLayout(data, memory, store)


def sibling_path(path: Path, ending: str) -> Path:
    """Return the path of a file that stands beside a database."""
    return path.with_name(path.name + ending)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - a link on the way stays what it is


def _state(path: Path, *, follow: bool) -> os.stat_result | None:
    """Look at a file, or at a link itself that is not to be followed or leads nowhere; None when gone."""
    for followed in (follow, False):
        with suppress(FileNotFoundError):
            return path.stat(follow_symlinks=followed)
    return None


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
