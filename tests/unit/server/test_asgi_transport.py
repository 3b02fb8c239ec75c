"""The in-process transport streams, and behaves like a socket when somebody leaves."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.server.asgi_transport import StreamingASGITransport
from tests.kit.virtual_time import run_in_virtual_time

START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}


def piece(body: bytes, *, more: bool = True) -> dict[str, object]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def client(app: ASGIApp, timeout: float = 60.0) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=StreamingASGITransport(app), base_url="http://app", timeout=timeout)


async def test_pieces_arrive_while_the_application_is_at_work() -> None:
    go_on = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send(START)
        await send(piece(b"first"))
        await go_on.wait()
        await send(piece(b"last", more=False))

    async with client(app) as http, http.stream("GET", "/") as response:
        pieces = response.aiter_raw()
        assert await anext(pieces) == b"first"
        go_on.set()
        assert [each async for each in pieces] == [b"last"]


async def test_a_request_arrives_whole() -> None:
    got: list[object] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive()).get("more_body", False):
            body += message["body"]
        got.extend([scope["method"], scope["path"], scope["query_string"], body])
        await send(START)
        await send(piece(b"", more=False))

    async with client(app) as http:
        response = await http.post("/a%20b?x=1", content=b"hello")
    assert response.status_code == 200
    assert got == ["POST", "/a b", b"x=1", b"hello"]


async def test_the_application_learns_that_its_client_left() -> None:
    left = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send(START)
        await send(piece(b"first"))
        while (await receive())["type"] != "http.disconnect":
            pass
        left.set()

    async with client(app) as http:
        async with http.stream("GET", "/") as response:
            assert await anext(response.aiter_raw()) == b"first"
        await left.wait()


@run_in_virtual_time
async def test_an_application_cannot_run_far_ahead_of_its_reader() -> None:
    sent = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal sent
        await send(START)
        for number in range(64):
            await send(piece(bytes(65_536), more=number < 63))
            sent += 1

    async with client(app) as http, http.stream("GET", "/") as response:
        pieces = response.aiter_raw()
        await anext(pieces)
        await asyncio.sleep(1)
        assert sent < 10
        assert sum([len(each) async for each in pieces]) == 63 * 65_536
    assert sent == 64


async def test_silence_is_a_read_timeout() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    async with client(app, timeout=0.01) as http:
        with pytest.raises(httpx.ReadTimeout):
            await http.get("/")


async def test_a_failing_application_is_a_broken_connection() -> None:
    async def breaks_early(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broken")

    async def breaks_late(scope: Scope, receive: Receive, send: Send) -> None:
        await send(START)
        await send(piece(b"half"))
        raise RuntimeError("broken")

    async with client(breaks_early) as http:
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get("/")
    async with client(breaks_late) as http:
        with pytest.raises(httpx.ReadError):
            await http.get("/")
