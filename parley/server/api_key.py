"""Who may talk to the server."""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

OPEN_PATHS = ("/ok", "/docs", "/openapi.json")
"""What says nothing of anybody, and is open to all."""


class ApiKeyMiddleware:
    """Lets through requests with the right `x-api-key`, or with it as a bearer token, but to open paths."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS:
            headers = Headers(scope=scope)
            kind, _, token = headers.get("authorization", "").partition(" ")
            given = headers.get("x-api-key", "") or (token.strip() if kind.lower() == "bearer" else "")
            if not secrets.compare_digest(given.encode(), self._key):
                refusal = JSONResponse({"detail": "Missing or wrong x-api-key."}, 403 if given else 401)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)
