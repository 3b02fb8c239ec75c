"""A process that is killed while an agent's tool saves a fact: `FOLDER before` or `after` it is written."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.kit.machine import patience
from tests.unit.memory.tools.scene import scene

SAID, FACT = "Please remember that my boiler is from 1998", "My boiler is from 1998"


async def die(folder: Path, when: str) -> None:
    async with scene(folder) as here:
        repository = here.memory.admin.repository
        write = repository.change

        async def change(*given: Any) -> Any:  # noqa: ANN401 - whatever it is given
            made = await write(*given) if when == "after" else None
            os.kill(os.getpid(), signal.SIGKILL)
            return made

        killing: Any = repository
        killing.change = change
        async with asyncio.timeout(patience(30)):
            await here.call("memory_add", SAID, content=FACT)


if __name__ == "__main__":
    asyncio.run(die(Path(sys.argv[1]), sys.argv[2]))
