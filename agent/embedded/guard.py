"""Who may talk to the server."""

from __future__ import annotations

import secrets
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class KeyGuard:
    """Lets through requests with the right `x-api-key`; `/ok` is open to all."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != "/ok":
            given = Headers(scope=scope).get("x-api-key", "")
            if not secrets.compare_digest(given.encode(), self._key):
                refusal = JSONResponse({"detail": "Missing or wrong x-api-key."}, 403 if given else 401)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class HostGuard:
    """Lets through requests that were meant for one of our own names.

    Without a key, a page in somebody's browser must not reach a server on their loopback under a name
    of its own.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host = headers.get("host", "")
            name = host[: host.rfind("]") + 1] if host.startswith("[") else host.partition(":")[0]
            if name.lower() not in self._hosts or "origin" in headers:
                await JSONResponse({"detail": "Not for web pages."}, 403)(scope, receive, send)
                return
        await self._app(scope, receive, send)
