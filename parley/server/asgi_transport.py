"""An httpx transport into an ASGI application of this process that streams, both ways."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, cast

import httpx
from starlette.types import ASGIApp, Message, Scope

_BUFFERED = 256 * 1024


class StreamingASGITransport(httpx.AsyncBaseTransport):
    """Calls an ASGI application without a socket.

    Pieces of a response arrive as the application sends them; it may be at most 256 kB ahead of its
    reader. Closing a response early tells the application that its client has gone, as a socket would;
    a handler that has not answered yet runs on. Read time-outs are kept.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._calls: set[asyncio.Task[None]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Call the application; returns when the response begins."""
        exchange = _Exchange(request)
        # A context of its own, as if the application were another process.
        call = asyncio.create_task(exchange.call(self._app), context=contextvars.Context())
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        call.add_done_callback(exchange.finished)
        try:
            async with asyncio.timeout(exchange.patience):
                await exchange.started.wait()
        except TimeoutError as error:
            exchange.leave()
            raise httpx.ReadTimeout("the application did not answer in time", request=request) from error
        except asyncio.CancelledError:
            exchange.leave()
            raise
        if exchange.status is None:
            raise httpx.RemoteProtocolError(
                "the application did not answer", request=request
            ) from exchange.error
        return httpx.Response(exchange.status, headers=exchange.headers, stream=_Body(exchange))

    async def aclose(self) -> None:
        """Cut every response off and wait for the application to let go."""
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.aclose()


class _Exchange:
    """One request and its response."""

    def __init__(self, request: httpx.Request) -> None:
        self.request = request
        self.patience = cast("float | None", request.extensions.get("timeout", {}).get("read"))
        self.started = asyncio.Event()
        self.status: int | None = None
        self.headers: list[tuple[bytes, bytes]] = []
        self.error: BaseException | None = None
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._left = asyncio.Event()
        self._moved = asyncio.Event()
        self._request_body = aiter(cast("httpx.AsyncByteStream", request.stream))
        self._request_told = False

    async def call(self, app: ASGIApp) -> None:
        """Call the application."""
        await app(self._scope(), self._receive, self._send)

    def finished(self, call: asyncio.Task[None]) -> None:
        """The application has returned, or raised what the reader shall see as a broken connection."""
        self.error = asyncio.CancelledError() if call.cancelled() else call.exception()
        if not self._ended and self.error is None:
            self.error = EOFError("the application stopped in the middle of its answer")
        self.started.set()
        self._move()

    def leave(self) -> None:
        """The reader has gone."""
        self._left.set()
        self._move()

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes."""
        while True:
            while self._pieces:
                piece = self._pieces.popleft()
                self._size -= len(piece)
                self._move()
                yield piece
            if self._ended:
                return
            if self.error:
                raise httpx.ReadError("the application broke off", request=self.request) from self.error
            await self._wait_for_more()

    async def _wait_for_more(self) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await self._moved.wait()
        except TimeoutError as error:
            raise httpx.ReadTimeout(
                "the application was silent for too long", request=self.request
            ) from error

    def _move(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    def _scope(self) -> Scope:
        url = self.request.url
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": self.request.method,
            "headers": [(name.lower(), value) for name, value in self.request.headers.raw],
            "scheme": url.scheme,
            "path": url.path,
            "raw_path": url.raw_path.partition(b"?")[0],
            "query_string": url.query,
            "server": (url.host, url.port),
            "client": ("127.0.0.1", 0),
            "root_path": "",
            "state": {},
        }

    async def _receive(self) -> Message:
        if self._request_told:
            await self._left.wait()
            return {"type": "http.disconnect"}
        chunk = await anext(self._request_body, None)
        self._request_told = chunk is None
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def _send(self, message: Message) -> None:
        if self._left.is_set():
            raise OSError("the client has gone")
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", ())]
            self.started.set()
            return
        await self._take(cast("dict[str, Any]", message))

    async def _take(self, message: dict[str, Any]) -> None:
        body = message.get("body", b"")
        if body and self.request.method != "HEAD":
            self._pieces.append(body)
            self._size += len(body)
        self._ended = not message.get("more_body", False)
        self._move()
        while self._size > _BUFFERED and not self._left.is_set() and not self._ended:
            await self._moved.wait()


class _Body(httpx.AsyncByteStream):
    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._exchange.pieces():
            yield piece

    async def aclose(self) -> None:
        self._exchange.leave()
