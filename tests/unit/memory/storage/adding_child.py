"""Add facts to one memory: `python -m tests.unit.memory.storage.adding_child folder name count`."""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import count
from pathlib import Path

from parley.core.model.errors import DocumentConflict
from parley.memory.edits.operations import add
from parley.memory.storage.json_files import FileMemoryStore
from tests.kit.samples.memories import at

MOST = 100_000


async def remember(store: FileMemoryStore, content: str) -> None:
    """Add a fact, however often somebody else is faster."""
    while True:
        read = await store.load("ann")
        try:
            await store.save("ann", add(read, content, at(1), MOST).stored)
        except DocumentConflict:
            continue
        return


async def main(folder: str, name: str, most: int) -> None:
    store = FileMemoryStore(Path(folder))
    for number in range(most) if most else count():
        await remember(store, f"{name} said {number}")
        os.write(1, f"{number}\n".encode())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
