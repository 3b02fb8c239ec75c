"""The end of a simulated platform."""

from __future__ import annotations

import asyncio

from aiohttp import web

_PASSES = 3
"""Of the event loop: accepting a connection takes one or two."""


async def ended(runner: web.AppRunner) -> None:
    """Stop serving and close every connection, those that were accepted at the last moment too."""
    server = runner.server
    await runner.cleanup()
    await _passes()
    if server is not None:
        await server.shutdown(0)
        await _passes()


async def _passes() -> None:
    for _ in range(_PASSES):
        await asyncio.sleep(0)
