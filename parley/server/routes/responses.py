"""Answers that take as long as a run: event streams, and JSON after a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from parley.server.serialisation import dumps


class GraphJsonResponse(Response):
    """Anything a graph may hold, as JSON."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return dumps(content)


async def nothing() -> None:
    """Do nothing where a client goes away."""
    return


class HeartbeatResponse:
    """An ASGI answer whose body comes piece by piece.

    `beat` is sent whenever nothing else was for `every` seconds. When the client goes away first, or takes
    nothing for `patience` seconds, the pieces are abandoned at once and `gone` is awaited.
    """

    def __init__(
        self,
        pieces: AsyncIterator[bytes],
        headers: Mapping[str, str],
        *,
        beat: bytes,
        every: float,
        patience: float,
        gone: Callable[[], Awaitable[None]] = nothing,
    ) -> None:
        self._pieces = pieces
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._beat = beat
        self._every = every
        self._patience = patience
        self._gone = gone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_disconnect(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done() and not sending.done():
                await self._gone()
        finally:
            left = sending.done() and isinstance(_error_of(sending), OSError)
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
        if left:
            await self._gone()
        elif not sending.cancelled():
            sending.result()

    async def _send(self, send: Send) -> None:
        await self._offer(send, {"type": "http.response.start", "status": 200, "headers": self._headers})
        async with contextlib.aclosing(_with_beats(self._pieces, self._beat, self._every)) as pieces:
            async for piece in pieces:
                await self._offer(send, {"type": "http.response.body", "body": piece, "more_body": True})
        await self._offer(send, {"type": "http.response.body", "body": b"", "more_body": False})

    async def _offer(self, send: Send, message: Message) -> None:
        # Who takes nothing holds all that is kept for it. TimeoutError is an OSError, as that of who left.
        async with asyncio.timeout(self._patience):
            await send(message)


def _error_of(task: asyncio.Task[None]) -> BaseException | None:
    return None if task.cancelled() else task.exception()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _with_beats(pieces: AsyncIterator[bytes], beat: bytes, every: float) -> AsyncGenerator[bytes, None]:
    source = aiter(pieces)
    following = asyncio.ensure_future(_next(source))
    try:
        while True:
            done, _ = await asyncio.wait({following}, timeout=every)
            if not done:
                yield beat
                continue
            piece = following.result()
            if piece is None:
                return
            yield piece
            following = asyncio.ensure_future(_next(source))
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        if isinstance(source, AsyncGenerator):
            await source.aclose()


async def _next(source: AsyncIterator[bytes]) -> bytes | None:
    return await anext(source, None)
