"""What wraps every answer: security headers, and the end of endless answers when the server stops."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
MAX_HEADERS = 100
_STREAM = "text/event-stream"
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer: that would make the origin of our own forms null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SecurityHeaders:
    """Gives every answer the headers it does not have already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


class HeaderLimit:
    """Refuses requests with more headers than any browser, proxy or platform sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and len(scope["headers"]) > MAX_HEADERS:
            text = f"A request has at most {MAX_HEADERS} headers."
            app = JSONResponse({"error": {"code": "too_many_headers", "text": text}}, 431)
        await app(scope, receive, send)


class StreamShutdown:
    """Tells event streams that their reader has gone once `stopping` is set, so that they end at once.

    They are known by what they answer: not every reader says in a header what it accepts.
    """

    def __init__(self, app: ASGIApp, stopping: asyncio.Event) -> None:
        self._app = app
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streams = False

        async def watched_send(message: Message) -> None:
            nonlocal streams
            if message["type"] == "http.response.start":
                streams = Headers(raw=message.get("headers", [])).get("content-type", "").startswith(_STREAM)
            await send(message)

        async def watched_receive() -> Message:
            return await (self._until_stopped(receive) if streams else receive())

        if scope["type"] == "http":
            await self._app(scope, watched_receive, watched_send)
        else:
            await self._app(scope, receive, send)

    async def _until_stopped(self, receive: Receive) -> Message:
        reading = asyncio.ensure_future(receive())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else {"type": "http.disconnect"}
        finally:
            reading.cancel()
            stopping.cancel()
