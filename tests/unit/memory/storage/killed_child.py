"""Writers that are killed: `python -m tests.unit.memory.storage.killed_child folder kills`.

Each copy of this process saves in a loop until kill -9. For each are printed how many facts it had told to
be saved, and how many of these, and which others, are found.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

from parley.memory.storage.json_files import FileMemoryStore
from tests.kit.samples.memories import texts
from tests.unit.memory.storage.adding_child import main


def killed_writer(folder: str, name: str) -> list[str]:
    """What a writer acknowledged before it was killed at some instant."""
    reading, writing = os.pipe()
    writer = os.fork()
    if not writer:
        os.dup2(writing, 1)
        asyncio.run(main(folder, name, 0))
    os.close(writing)
    with os.fdopen(reading, "rb") as output:
        lines = [output.readline() for _ in range(random.randint(1, 12))]
        os.kill(writer, signal.SIGKILL)
        lines += output.readlines()
    os.waitpid(writer, 0)
    return [f"{name} said {int(line)}" for line in lines if line.endswith(b"\n")]


if __name__ == "__main__":
    found: list[str] = []
    for kill in range(int(sys.argv[2])):
        told = found + killed_writer(sys.argv[1], f"writer{kill}")
        found = texts(asyncio.run(FileMemoryStore(Path(sys.argv[1])).load("ann")).document.facts)
        # What was told is there, in order; of the one that was being saved, all or nothing.
        print(len(told), "kept" if found[: len(told)] == told else "lost", len(found) - len(told), flush=True)
