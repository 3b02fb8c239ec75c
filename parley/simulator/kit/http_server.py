"""An application on loopback for as long as it is needed, and connections that end without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

from aiohttp import web

_PASSES = 3
"""Of the event loop: accepting a connection takes one or two."""


@asynccontextmanager
async def serving(app: web.Application, port: int = 0) -> AsyncIterator[int]:
    """`app` on a port of 127.0.0.1, which is yielded; 0 takes a free one.

    In the end every connection is closed: those that were accepted at the last moment, too, and those whose
    clients have not read all and never may.
    """
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    server = cast("web.Server", runner.server)  # there is one once it is set up
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", port)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        await stop_listening(listener)
        transports = [each.transport for each in server.connections if each.transport is not None]
        await runner.cleanup()
        for transport in transports:
            transport.abort()
        await _passes()


async def stop_listening(server: asyncio.Server) -> None:
    """Take no more connections, and lose none that was taken.

    Python 3.11 never closes one that it accepted in the moment before its server was closed.
    """
    for listener in server.sockets:
        server.get_loop().remove_reader(listener.fileno())
    await _passes()
    server.close()


@web.middleware
async def cut_connections(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """End the connection without an answer where the handler raises ConnectionResetError."""
    try:
        return await handler(request)
    except ConnectionResetError:
        abort(request)
        return web.Response()


def abort(request: web.Request) -> None:
    """Cut the connection on which a request came."""
    if request.transport is not None:
        request.transport.abort()


async def _passes() -> None:
    for _ in range(_PASSES):
        await asyncio.sleep(0)
