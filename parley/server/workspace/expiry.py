"""Workspaces that nobody uses any more go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from parley.server.workspace.workspaces import DAY, Workspaces

_log = logging.getLogger(__name__)
_EVERY = 3_600.0


Known = Callable[[Sequence[str]], Awaitable[set[str]]]
"""Returns those ids of threads that there are."""


async def delete_unknown(workspaces: Workspaces, known: Known, now: float) -> int:
    """Delete the folders of threads that are not there; returns how many. Raises OSError.

    A file may be there before its thread, which the first run makes: so a day passes first.
    """
    old = await asyncio.to_thread(workspaces.older, now - DAY)
    unknown = sorted(set(old) - await known(old))
    for thread_id in unknown:
        await asyncio.to_thread(workspaces.delete, thread_id)
    return len(unknown)


@asynccontextmanager
async def expiring(
    workspaces: Workspaces,
    known: Known,
    clock: Callable[[], float],
    errors: tuple[type[Exception], ...] = (),
) -> AsyncIterator[None]:
    """The time in which old workspaces are deleted, every hour, and those whose threads are not `known`.

    `errors` are what `known` may raise: they are tried again then.
    """
    task = asyncio.create_task(_expire(workspaces, known, clock, (OSError, *errors)))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _expire(
    workspaces: Workspaces, known: Known, clock: Callable[[], float], errors: tuple[type[Exception], ...]
) -> None:
    while True:
        try:
            gone = await asyncio.to_thread(workspaces.expire, clock())
            gone += await delete_unknown(workspaces, known, clock())
            if gone:
                _log.info("%d workspaces that nobody used were deleted", gone)
        except errors as error:
            _log.warning("old workspaces stay for now: %s", error)
        await asyncio.sleep(_EVERY)
