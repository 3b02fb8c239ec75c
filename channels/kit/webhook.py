"""Channels that are spoken to over HTTP."""

import asyncio
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from parley.channels.kit.http.wire_listener import note_post
from parley.core.ports.channel import CURRENT_CHANNEL


class Webhook(Route):
    """A route for a platform's own servers, which come from anywhere and under any host name.

    It stands outside the console's checks of host, origin and token, so its endpoint has to make sure
    who calls, and to bound what it reads.
    """


def hook_path(channel: str) -> str:
    """Return where a platform posts to for a channel of this name."""
    return f"/hooks/{channel}"


def routes_of(channel: object, name: str, kind: str) -> Sequence[BaseRoute]:
    """Return a channel's routes, its platform's hook under the channel's own name."""
    routes = channel.routes() if isinstance(channel, ServesHttp) else ()
    return [_renamed(route, name, kind) for route in routes]


def _renamed(route: BaseRoute, name: str, kind: str) -> BaseRoute:
    if not isinstance(route, Webhook) or route.path != hook_path(kind):
        return route
    taken = route.endpoint

    async def take(request: Request) -> Response:
        CURRENT_CHANNEL.set(name)
        answer: Response = await taken(request)
        return answer

    return Webhook(hook_path(name), take, methods=list(route.methods or ()))


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
    note_post(request.url.path, bytes(body))
    return bytes(body)


def text_response(status: int, text: str) -> Response:
    """Return a line for whoever reads the platform's log of its posts."""
    return PlainTextResponse(f"{text}\n", status)
