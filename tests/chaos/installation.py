"""One installation in a process: `python -m tests.chaos.installation FOLDER EDITION SCALE MOUNTING`.

Prints how far it is; at the end `result.json` is in the folder.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import cast

from tests.chaos.planning.plan import make_plan
from tests.chaos.planning.scale import Edition, Scale
from tests.chaos.run import carry_out
from tests.chaos.scene import scene

RESULT = "result.json"


async def live(folder: Path, edition: Edition, scale: Scale, *, mounting: bool) -> None:
    """From the first word to the account; SIGTERM ends it early, with nothing left running."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with scene(folder, edition, mounting=mounting) as here:
        result = await carry_out(make_plan(scale, edition), here)
    result.write(folder / RESULT)


if __name__ == "__main__":
    _, place, name, numbers, mount = sys.argv
    asyncio.run(
        live(Path(place), cast("Edition", name), Scale(**json.loads(numbers)), mounting=mount == "mounting")
    )
