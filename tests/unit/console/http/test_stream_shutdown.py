"""A stop of the server ends endless answers, whatever their readers said that they accept."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from parley.console.http.middleware import StreamShutdown


async def serve(content_type: str, stopping: asyncio.Event, receive: Receive) -> list[Message]:
    """Return what an answer of that type receives after it has begun."""
    received: list[Message] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", content_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        received.append(await receive())

    async def send(message: Message) -> None:
        """Take what is sent."""

    await StreamShutdown(answer, stopping)({"type": "http", "headers": []}, receive, send)
    return received


async def test_an_event_stream_ends():
    async def silent() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    stopping = asyncio.Event()
    stopping.set()
    received = await serve("text/event-stream; charset=utf-8", stopping, silent)
    assert received == [{"type": "http.disconnect"}]


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_what_its_reader_says_comes_through(kind: str):
    async def left() -> Message:
        return {"type": "http.disconnect", "of": "the reader"}

    assert await serve(kind, asyncio.Event(), left) == [{"type": "http.disconnect", "of": "the reader"}]


async def test_another_answer_goes_on():
    said = asyncio.Event()

    async def later() -> Message:
        await said.wait()
        return {"type": "http.request"}

    stopping = asyncio.Event()
    stopping.set()
    answer = asyncio.create_task(serve("application/json", stopping, later))
    said.set()
    assert await answer == [{"type": "http.request"}]
