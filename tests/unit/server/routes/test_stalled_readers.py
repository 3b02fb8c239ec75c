"""Who takes nothing of a stream is left, and holds nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Message

from parley.server.routes.responses import HeartbeatResponse
from tests.kit.machine import patience


async def test_a_reader_that_stalls_is_left() -> None:
    left, closed = asyncio.Event(), asyncio.Event()

    async def pieces() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 1000
        finally:
            closed.set()

    async def gone() -> None:
        left.set()

    sent = 0

    async def send(_: Message) -> None:
        nonlocal sent
        sent += 1
        if sent > 3:
            await asyncio.Event().wait()

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    response = HeartbeatResponse(pieces(), {}, beat=b"", every=60.0, patience=0.05, gone=gone)
    async with asyncio.timeout(patience(20)):
        await response({"type": "http"}, receive, send)
    assert left.is_set()
    assert closed.is_set()
