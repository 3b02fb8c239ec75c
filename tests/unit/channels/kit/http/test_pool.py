"""The pool: no request leaves for what this node may not hold any more, and all go through the proxy."""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from parley.channels.kit.http.pool import HttpPool
from parley.core.model.errors import LaneLost
from parley.core.ports.lease import LeaseToken, holding_lease, uptime
from tests.kit.machine import patience
from tests.kit.samples.certificates import ServerCertificate


class Uptime:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Uptime:
    return Uptime()


@pytest.fixture
def asked() -> list[str]:
    """The requests that arrived."""
    return []


@pytest.fixture
async def server(asked: list[str], clock: Uptime) -> AsyncIterator[TestServer]:
    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        clock.now += float(request.query.get("seconds", "0"))
        return web.Response(text="ok")

    app = web.Application()
    app.router.add_get("/{path}", answer)
    server = TestServer(app)
    async with server:
        yield server


async def test_it_is_refused_before_it_begins(server: TestServer, asked: list[str], clock: Uptime):
    sessions = HttpPool()
    async with sessions as session:
        with holding_lease(LeaseToken(10, clock.now, clock)):
            async with session.get(server.make_url("/first")) as answer:
                assert answer.status == 200
            clock.now += 9
            with pytest.raises(LaneLost):
                await session.get(server.make_url("/second"))
        async with session.get(server.make_url("/third")) as answer:
            assert answer.status == 200
    assert asked == ["/first", "/third"]


async def test_one_under_way_is_reset_when_the_lease_ends():
    """The server reads nothing meanwhile: what waits in the kernel may not arrive later."""
    ended: asyncio.Future[BaseException | None] = asyncio.get_running_loop().create_future()
    reads = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reads.wait()
        try:
            while await reader.read(1 << 16):
                pass
            ended.set_result(None)
        except ConnectionResetError as error:
            ended.set_result(error)
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1024)
    url = "http://{}:{}/".format(*listener.sockets[0].getsockname())
    async with listener, HttpPool() as session:
        with holding_lease(LeaseToken(patience(0.3), uptime())), pytest.raises(aiohttp.ClientError):
            await session.post(url, data=io.BytesIO(b"x" * 20_000_000))
        reads.set()
        assert isinstance(await ended, ConnectionResetError)


async def test_one_that_is_over_is_left_alone(server: TestServer, clock: Uptime):
    tenure = LeaseToken(10, clock.now, clock)
    async with HttpPool() as session:
        with holding_lease(tenure):
            async with session.get(server.make_url("/first")) as answer:
                await answer.read()
        clock.now += 11
        tenure._look()
        async with session.get(server.make_url("/second")) as answer:
            assert answer.status == 200


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    """What is closed after the test."""
    async with AsyncExitStack() as stack:
        yield stack


@asynccontextmanager
async def tunnels(target: int, asked: list[str]) -> AsyncIterator[str]:
    """The address of a proxy that opens every tunnel to a port of this machine."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(1 << 16):
            writer.write(piece)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.partition(" HTTP/")[0])
        inward, outward = await asyncio.open_connection("127.0.0.1", target)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pump(reader, outward), pump(inward, writer), return_exceptions=True)

    proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with proxy:
        yield "http://{}:{}".format(*proxy.sockets[0].getsockname())


async def test_web_sockets_go_through_the_proxy_for_https(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stack: AsyncExitStack
) -> None:
    """Channels listen on such: behind a company's proxy none of them heard anything."""

    async def greet(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(f"hello from {request.host}")
        return socket

    app, certificate, asked = web.Application(), ServerCertificate.make(tmp_path), list[str]()
    app.router.add_get("/gateway", greet)
    trusting = ssl.create_default_context(cafile=str(certificate.certificate))
    trusting.check_hostname = False  # it is a certificate for this machine
    server = TestServer(app, scheme="https")
    await server.start_server(ssl=certificate.server_context())
    monkeypatch.setenv("https_proxy", await stack.enter_async_context(tunnels(server.port or 0, asked)))
    stack.push_async_callback(server.close)
    session = await stack.enter_async_context(HttpPool())
    async with session.ws_connect("wss://gateway.example/gateway", ssl=trusting) as socket:
        assert await socket.receive_str() == "hello from gateway.example"
    assert asked == ["CONNECT gateway.example:443"]


async def test_logins_of_whoever_runs_it_are_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A default login in ~/.netrc, as people have for a package registry, was one for every platform too."""
    logins = tmp_path / "netrc"
    logins.write_text("default login me password hidden\n")
    monkeypatch.setenv("NETRC", str(logins))
    seen: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization", ""))
        return web.Response()

    app = web.Application()
    app.router.add_get("/", answer)
    async with TestServer(app) as server:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
        async with HttpPool() as session:
            for headers in ({"Authorization": "Bearer token"}, {}):
                await session.get("http://platform.example/", headers=headers)
    assert seen == ["Bearer token", ""]
