"""Who records a channel hears all that goes over its pool, and changes nothing of it."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from starlette.requests import Request

from parley.channels.kit.http.client import HttpClient
from parley.channels.kit.http.pool import HttpPool
from parley.channels.kit.http.wire_listener import WireExchange, listening_to_wires, wire_listener
from parley.channels.kit.http.wire_tap import MOST_BODY
from parley.channels.kit.webhook import read_body


class Heard:
    def __init__(self) -> None:
        self.exchanges: list[WireExchange] = []
        self.frames: list[tuple[str | bytes, bool]] = []
        self.posts: list[tuple[str, bytes]] = []

    def on_exchange(self, exchange: WireExchange) -> None:
        self.exchanges.append(exchange)

    def on_frame(self, data: str | bytes, *, inward: bool) -> None:
        self.frames.append((data, inward))

    def on_post(self, path: str, body: bytes) -> None:
        self.posts.append((path, body))


async def _echo(request: web.Request) -> web.StreamResponse:
    return web.json_response({"got": len(await request.read())}, status=201)


async def _file(request: web.Request) -> web.StreamResponse:
    return web.Response(body=b"\0" * 1000, content_type="application/octet-stream")


async def _socket(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        await socket.send_str(f"{message.data!r} came")
    return socket


@pytest.fixture
async def url() -> AsyncIterator[str]:
    app = web.Application(client_max_size=1 << 22)
    app.add_routes([web.post("/echo", _echo), web.get("/file", _file), web.get("/socket", _socket)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield str(site.name)
    await runner.cleanup()


async def test_requests_and_responses_are_heard(url):
    heard = Heard()
    with listening_to_wires(heard):
        client = HttpClient(HttpPool(), "Someplace", 5.0)
        answer = await client.request("POST", f"{url}/echo", b"x" * 70_000, headers={"x-a": "b"})
    (exchange,) = heard.exchanges
    assert (answer.status, json.loads(answer.body)) == (201, {"got": 70_000})
    assert (exchange.method, exchange.url, exchange.status) == ("POST", f"{url}/echo", 201)
    assert exchange.request_body == b"x" * 70_000
    assert exchange.response_body == answer.body
    assert exchange.request_headers["x-a"] == "b"


async def test_a_huge_body_is_cut(url):
    heard, form = Heard(), aiohttp.FormData()
    form.add_field("file", io.BytesIO(b"x" * MOST_BODY), filename="x")
    with listening_to_wires(heard):
        await HttpClient(HttpPool(), "Someplace", 5.0).request("POST", f"{url}/echo", form)
    assert len(heard.exchanges[0].request_body) == MOST_BODY


async def test_of_a_file_only_the_headers_are_heard(url):
    heard = Heard()
    with listening_to_wires(heard):
        client = HttpClient(HttpPool(), "Someplace", 5.0)
        async with client.stream(f"{url}/file", headers={}, query={}, silence=5.0) as answer:
            assert len(await answer.read()) == 1000
    (exchange,) = heard.exchanges
    assert (exchange.status, exchange.response_body) == (200, b"")


async def test_frames_of_both_kinds_are_heard_both_ways(url):
    heard = Heard()
    with listening_to_wires(heard):
        async with HttpPool() as session, session.ws_connect(f"{url}/socket") as socket:
            await socket.send_str("one")
            first = await socket.receive_str()
            await socket.send_bytes(b"two")
            second = await socket.receive_str()
    assert heard.frames == [("one", False), (first, True), (b"two", False), (second, True)]
    assert [exchange.status for exchange in heard.exchanges] == [101]


async def test_nobody_listens_by_default(url):
    heard = Heard()
    with listening_to_wires(heard):
        assert wire_listener() is heard
    assert wire_listener() is None
    async with HttpPool() as session:
        assert session._ws_response_class is aiohttp.ClientWebSocketResponse
        assert len(session.trace_configs) == 1


async def test_what_is_posted_to_a_hook_is_heard():
    async def receive():
        return {"type": "http.request", "body": b'{"a": 1}', "more_body": False}

    scope = {"type": "http", "method": "POST", "path": "/hooks/slack", "headers": [], "query_string": b""}
    heard = Heard()
    with listening_to_wires(heard):
        assert await read_body(Request(scope, receive), 100) == b'{"a": 1}'
    assert heard.posts == [("/hooks/slack", b'{"a": 1}')]
