"""An answer's files wait for room; they are not left out for a disk that is full for a while."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.machine import patience
from tests.kit.product.process import environment
from tests.kit.small_disk import WARNING, namespace

_CHILD = """
import asyncio, logging, sys
from base64 import b64encode
from pathlib import Path
from parley.agent.files import outgoing
from tests.kit.small_disk import Disk

folder = Path(sys.argv[1])
disk = Disk.mount(folder)
block = {"type": "file", "base64": b64encode(b"x" * 50_000).decode(), "filename": "notes.md"}

class Ear(logging.Handler):
    def emit(self, record):
        loop.call_soon_threadsafe(refused.set)

async def main():
    global loop, refused
    loop, refused = asyncio.get_running_loop(), asyncio.Event()
    logging.basicConfig(handlers=[logging.StreamHandler(), Ear()])
    files = list(outgoing.extract_files([[block]]))
    disk.fill()
    saving = asyncio.create_task(outgoing.save_files(files, folder / "answers"))
    await refused.wait()
    print(int(saving.done()))
    disk.free()
    (file,) = (await saving).stored
    print(file.name, file.size)

asyncio.run(main())
"""


@pytest.mark.skipif(not namespace(), reason=WARNING)
def test_an_answers_file_waits_for_room(tmp_path: Path) -> None:
    command = [*namespace(), sys.executable, "-c", _CHILD, str(tmp_path)]
    said = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=True, timeout=patience(50)
    )
    assert said.stdout.split() == ["0", "notes.md", "50000"]
    assert "No space left" in said.stderr
