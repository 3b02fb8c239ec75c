"""Work in threads that is waited for, whatever happens: what it works on stays open until it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def run_to_its_end(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run it in a thread; who cancels this waits until it has ended.

    A thread cannot be stopped: it would go on with a descriptor whose number is another folder's by then.
    """
    running = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await until_done(running)
        raise


async def until_done(running: asyncio.Future[_T]) -> None:
    """Wait until it has ended, whoever cancels this; for who is about to close what it works on."""
    while not running.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([running])
