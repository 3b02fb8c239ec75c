"""Work on the database that a cancellation does not cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

_T = TypeVar("_T")
_PATIENCE = 10.0


async def complete(work: Coroutine[Any, Any, _T], patience: float = _PATIENCE) -> _T:
    """Await work that goes on to its end where whoever awaits it is cancelled, and is told only then.

    What is cut off may still be committed, after what is written next. A database that does not answer for
    `patience` seconds after a cancellation holds nobody up.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        given_up = asyncio.get_running_loop().call_later(patience, task.cancel)
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        given_up.cancel()
        if not task.cancelled():
            task.exception()  # who would hear of it has left
        raise
