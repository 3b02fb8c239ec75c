"""Channels that are spoken to over HTTP."""

import asyncio
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route


class Webhook(Route):
    """A route for a platform's own servers, which come from anywhere and under any host name.

    It stands outside the console's checks of host, origin and token, so its endpoint has to make sure
    who calls, and to bound what it reads.
    """


@runtime_checkable
class ServesHttp(Protocol):
    """A channel whose routes the console's HTTP server mounts at its root."""

    def routes(self) -> Sequence[BaseRoute]:
        """Return routes with paths that no other channel has."""
        ...


async def read_body(request: Request, most: int, patience: float | None = None) -> bytes:
    """Return what was posted, a little more than `most` bytes where it is too much.

    Nothing is what comes from who hangs up, or takes more than `patience` seconds.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(patience):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    break
    except (ClientDisconnect, TimeoutError):
        return b""
    return bytes(body)


def text_response(status: int, text: str) -> Response:
    """Return a line for whoever reads the platform's log of its posts."""
    return PlainTextResponse(f"{text}\n", status)
