"""JSON file storage of memories, which people may read and edit.

`{root}/users/{person}/memory.json`, and `agents/{assistant}/memory.json` under it; see docs/memory-files.md.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TypeVar

from parley.core.model.errors import DocumentConflict
from parley.memory.model.document import StoredMemory
from parley.memory.storage.atomic_files import locked, map_os_error
from parley.memory.storage.directory import DOCUMENT, NOTES, MemoryDirectory
from parley.memory.storage.folder_names import folder_name, is_plain
from parley.memory.storage.notes_format import read_notes

Result = TypeVar("Result")

_USERS = "users"
_AGENTS = "agents"
_LOCKS = ".locks"
_LOCK_COUNT = 64
_MOST_CACHED = 256
# Writers mostly wait for the disk, but each computing thread delays the loop by a switch interval.
_READERS, _WRITERS = 4, 2
# Nanoseconds. Timestamps are coarse: a file this recent may have changed twice at one timestamp.
_SETTLED = 2_000_000_000

_FileStamp = tuple[int, int, int]
_Stamp = tuple[_FileStamp | None, ...]


@dataclass(frozen=True, slots=True)
class _Cached:
    stamp: _Stamp
    stored: StoredMemory


class FileMemoryStore:
    """Stores memories as files under `root`. Safe between threads, tasks and processes.

    `pause` is the time in seconds between two reads of a file that somebody is writing.
    """

    def __init__(self, root: Path, pause: float = 0.1, sleep: Callable[[float], None] = time.sleep) -> None:
        self._root = root
        self._pause = partial(sleep, pause)
        # Cached, as joining a path takes longer than a stat.
        self._folder = lru_cache(maxsize=_MOST_CACHED)(self._new_folder)
        self._cache: OrderedDict[Path, _Cached] = OrderedDict()
        self._cache_lock = threading.Lock()
        # Reads have their own threads, so as never to wait for writes, which wait for the disk.
        self._reading = ThreadPoolExecutor(_READERS, "parley-memory-read")
        self._writing = ThreadPoolExecutor(_WRITERS, "parley-memory-write")

    async def load(self, person: str, assistant: str = "") -> StoredMemory:
        """Return the memory as it is now. Raises MemoryFailed."""
        return await self._run(lambda: self._load(self._folder(person, assistant), person), self._reading)

    async def save(self, person: str, stored: StoredMemory, assistant: str = "") -> StoredMemory:
        """Save if the memory is as it was read. Raises DocumentConflict, MemoryFailed."""

        def work() -> StoredMemory:
            folder = self._folder(person, assistant)
            with self._locked(person):
                saved = folder.save(stored)
                stamp = _stamp(folder)
                if folder.revision() == saved.revision:
                    self._cache_put(folder, stamp, saved)
            return saved

        return await self._run(work)

    async def people_page(self, after: str, limit: int) -> Sequence[str]:
        """Return the next persons after one, in the order of their folders' names. Raises MemoryFailed."""
        return await self._run(lambda: list(islice(self._people(after), limit)))

    async def erase(self, person: str) -> None:
        """Remove everything of a person but the generation. Raises MemoryFailed."""

        def work() -> None:
            folder = self._folder(person, "")
            agents = folder.path / _AGENTS
            others = sorted(filter(Path.is_dir, agents.iterdir())) if agents.is_dir() else []
            with self._locked(person):
                for each in (folder, *(MemoryDirectory(path, person, self._pause) for path in others)):
                    _erase(each)

        await self._run(work)

    async def _run(self, work: Callable[[], Result], threads: Executor | None = None) -> Result:
        def mapped() -> Result:
            try:
                return work()
            except OSError as error:
                raise map_os_error(Path(error.filename or self._root), error) from error

        return await asyncio.get_running_loop().run_in_executor(threads or self._writing, mapped)

    def _new_folder(self, person: str, assistant: str) -> MemoryDirectory:
        path = self._root / _USERS / folder_name(person)
        if assistant:
            path = path / _AGENTS / folder_name(assistant)
        return MemoryDirectory(path, person, self._pause)

    @contextmanager
    def _locked(self, person: str) -> Iterator[None]:
        # Not in the person's folder, with which a lock would vanish; and a few lock files serve everybody.
        number = int.from_bytes(sha256(folder_name(person).encode()).digest()[:2]) % _LOCK_COUNT
        with locked(self._root / _LOCKS / f"{number:02x}"):
            yield

    def _load(self, folder: MemoryDirectory, person: str) -> StoredMemory:
        stamp = _stamp(folder)
        if not any(stamp):
            return StoredMemory(damaged=folder.damaged())
        cached = self._cached(folder)
        if cached is not None and cached.stamp == stamp and _is_settled(stamp):
            return cached.stored
        # Without the lock, which writers hold while the disk writes: an unchanged file is complete.
        if cached is not None and folder.revision() == cached.stored.revision:
            return self._settle(folder, stamp, cached)
        with ExitStack() as held:
            with suppress(OSError):  # on a read-only disk nobody writes while we read
                held.enter_context(self._locked(person))
            cached = self._cached(folder)  # again: it may have been saved just now
            if cached is not None and folder.revision() == cached.stored.revision:
                return self._cache_put(folder, stamp, cached.stored)
            return self._cache_put(folder, stamp, folder.load())

    def _cached(self, folder: MemoryDirectory) -> _Cached | None:
        with self._cache_lock:
            cached = self._cache.get(folder.path)
        # A damaged one is read again each time: it may have been repaired.
        return None if cached is not None and cached.stored.damaged else cached

    def _settle(self, folder: MemoryDirectory, stamp: _Stamp, cached: _Cached) -> StoredMemory:
        """Record that nothing changed since; what was saved meanwhile stays."""
        with self._cache_lock:
            if self._cache.get(folder.path) is cached:
                self._cache[folder.path] = _Cached(stamp, cached.stored)
                self._cache.move_to_end(folder.path)
        return cached.stored

    def _cache_put(self, folder: MemoryDirectory, stamp: _Stamp, stored: StoredMemory) -> StoredMemory:
        """Cache what was read; `stamp` is from before the reading, so that later changes are seen."""
        with self._cache_lock:
            self._cache[folder.path] = _Cached(stamp, stored)
            self._cache.move_to_end(folder.path)
            while len(self._cache) > _MOST_CACHED:
                self._cache.popitem(last=False)
        return stored

    def _people(self, after: str) -> Iterator[str]:
        users = self._root / _USERS
        if not users.is_dir():
            return
        last = folder_name(after) if after else ""
        # Names only: a path for each of very many people takes longer than all that follows.
        for name in sorted(name for name in os.listdir(users) if name > last):  # noqa: PTH208
            folder = users / name
            own = (folder / DOCUMENT).is_file()
            if own or any((folder / _AGENTS).glob(f"*/{DOCUMENT}")):
                yield read_person(folder)


def _erase(folder: MemoryDirectory) -> None:
    while True:
        try:
            folder.erase()
        except DocumentConflict:
            continue  # just being edited by hand
        return


def read_person(folder: Path) -> str:
    """Return the person of this folder: by its name, or where that is a hash, by the notes in it."""
    if is_plain(folder.name):
        return folder.name
    for path in (folder / NOTES, *sorted((folder / _AGENTS).glob(f"*/{NOTES}"))):
        try:
            person = read_notes(path.read_text("utf-8")).person
        except (FileNotFoundError, ValueError):
            continue
        if folder_name(person) == folder.name:
            return person
    return folder.name


def _stamp(folder: MemoryDirectory) -> _Stamp:
    return tuple(map(_file_stamp, folder.files))


def _file_stamp(path: Path) -> _FileStamp | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _is_settled(stamp: _Stamp) -> bool:
    return all(file is None or file[0] < time.time_ns() - _SETTLED for file in stamp)
