"""Saves that die: `python -m tests.unit.memory.storage.dying_child folder`.

For every number n a copy of this process saves a memory and is killed at its n-th file operation: just
before it (and so just after the one before), or, of a write, after half of the bytes. What is then read is
printed, one line a death: `change n moment what`, and `end` for the save that came through alive.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from parley.memory.edits.operations import forget
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.model.document import StoredMemory
from parley.memory.storage.json_files import FileMemoryStore
from tests.kit.samples.memories import at, context, learned, news

MOMENTS = ("before", "half")
OPERATIONS = ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "close")


def learning(memory: StoredMemory) -> StoredMemory:
    return apply_diff(memory, news("User lives in Rome"), context(3))


def forgetting(memory: StoredMemory) -> StoredMemory:
    return forget(memory, "jasmine", at(4)).stored


def noting(memory: StoredMemory) -> StoredMemory:
    return apply_diff(memory, news(), context(5, learned("turn5")))


def beginning(memory: StoredMemory) -> StoredMemory:
    return apply_diff(memory, news("User plays chess"), context(1))


def die(name: str) -> None:
    """End at once, and show by how whether a write could also be half done. Both signals are the end."""
    os.kill(os.getpid(), signal.SIGUSR1 if name == "write" else signal.SIGKILL)


def doom(number: int, moment: str) -> None:
    """Let this process die at its n-th file operation."""
    numbers = count()

    def doomed(real: Callable[..., object], name: str) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            if next(numbers) != number:
                return real(*arguments, **options)
            if moment == "half" and name == "write":
                descriptor, data = arguments
                real(descriptor, data[: len(data) // 2])  # type: ignore[index, arg-type]
            die(name)
            return None

        return call

    for name in OPERATIONS:
        setattr(os, name, doomed(getattr(os, name), name))
    fcntl.flock = doomed(fcntl.flock, "flock")  # type: ignore[assignment]


def save_and_die(folder: Path, memory: StoredMemory, number: int, moment: str) -> int:
    """The signal of which a save in a process of its own died; 0 when it came through alive."""
    child = os.fork()
    if not child:
        doom(number, moment)
        asyncio.run(FileMemoryStore(folder).save("ann", memory))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def deaths(folder: Path, change: Callable[[StoredMemory], StoredMemory], old: StoredMemory) -> Iterator[str]:
    if old.document.facts:
        old = asyncio.run(FileMemoryStore(folder / "old").save("ann", old))
    new = change(old)
    states = {_told(old): "old", _told(new): "new"}
    copy = folder / "copy"
    for number in count():
        for moment in MOMENTS:
            shutil.rmtree(copy, ignore_errors=True)
            if (folder / "old").exists():
                shutil.copytree(folder / "old", copy)
            ended = save_and_die(copy, new, number, moment)
            found = asyncio.run(FileMemoryStore(copy).load("ann"))
            yield f"{number} {moment} {states.get(_told(found), 'neither')}"
            if not ended:
                yield f"{number} {moment} end"
                return
            if ended != -signal.SIGUSR1:
                break


def _told(memory: StoredMemory) -> str:
    """All of a memory but its revision, which another copy of its files changes."""
    return f"{memory.document} {memory.notes}"


if __name__ == "__main__":
    where = Path(sys.argv[1])
    begun = beginning(StoredMemory())
    both = apply_diff(begun, news("User likes jasmine tea"), context(2))
    for one, first in ((beginning, StoredMemory()), (learning, both), (forgetting, both), (noting, both)):
        for line in deaths(where / one.__name__, one, first):
            print(one.__name__, line, flush=True)
