"""The end of a simulated platform."""

from __future__ import annotations

import asyncio

from aiohttp import web

_PASSES = 3
"""Of the event loop: accepting a connection takes one or two."""


async def ended(runner: web.AppRunner) -> None:
    """Stop serving and close every connection: those that were accepted at the last moment, too, and those
    whose clients have not read all and never may."""
    server = runner.server
    if server is None:
        return
    transports = _transports(server)
    await runner.cleanup()
    await _passes()
    transports |= _transports(server)
    await server.shutdown(0)
    for transport in transports:
        transport.abort()
    await _passes()


def _transports(server: web.Server) -> set[asyncio.Transport]:
    return {each.transport for each in server.connections if each.transport is not None}


async def _passes() -> None:
    for _ in range(_PASSES):
        await asyncio.sleep(0)
