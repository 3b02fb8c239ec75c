"""Waiting for what nobody tells of."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable

from tests.kit.machine import patience

_PAUSE = 0.01


async def until(holds: Callable[[], object | Awaitable[object]], what: str, seconds: float = 20.0) -> None:
    """Look again and again until it `holds`; what it returns may be awaitable.

    Raises AssertionError, with `what` was waited for, after more than `seconds` of a quiet machine.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + patience(seconds)
    while True:
        found = holds()
        if await found if inspect.isawaitable(found) else found:
            return
        # The look comes after the clock: who was kept from running all that time looks once more.
        assert loop.time() < end, f"waited in vain until {what}"
        await asyncio.sleep(_PAUSE)
