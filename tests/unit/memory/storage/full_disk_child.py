"""Save where no file may grow: `python -m tests.unit.memory.storage.full_disk_child folder`.

The kernel's own limit on file sizes stands for a full disk: the same write fails in the same way, and only
the error's number is another.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import signal
import sys
from pathlib import Path

from parley.core.model.errors import MemoryFailed
from parley.memory.storage.json_files import FileMemoryStore
from tests.unit.memory.storage.adding_child import remember

really_write = os.write


def write(descriptor, data):
    try:
        return really_write(descriptor, data)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise


async def main(folder: Path) -> None:
    store = FileMemoryStore(folder)
    await store.load("ann")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
    os.write = write
    try:
        await remember(store, "Has a cat")
    except MemoryFailed as error:
        print(error.user_text)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
