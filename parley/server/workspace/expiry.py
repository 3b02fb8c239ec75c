"""Workspaces that nobody uses any more go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from parley.server.workspace.workspaces import Workspaces

_log = logging.getLogger(__name__)
_EVERY = 3_600.0


@asynccontextmanager
async def expiring(workspaces: Workspaces, clock: Callable[[], float]) -> AsyncIterator[None]:
    """The time in which old workspaces are deleted, every hour."""
    task = asyncio.create_task(_expire(workspaces, clock))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _expire(workspaces: Workspaces, clock: Callable[[], float]) -> None:
    while True:
        try:
            if gone := await asyncio.to_thread(workspaces.expire, clock()):
                _log.info("%d workspaces that nobody used were deleted", gone)
        except OSError as error:
            _log.warning("old workspaces stay for now: %s", error)
        await asyncio.sleep(_EVERY)
