"""A single worker thread for work too slow for the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class WorkerThread:
    """Runs slow work off the event loop, one call at a time.

    One only: each further busy thread would delay the event loop at every wake-up (GIL).
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "parley-memory")

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run `work` after what was submitted before, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
