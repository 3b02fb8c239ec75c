"""No request leaves for what this node may not hold any more."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from parley.channels.kit.http.pool import HttpPool
from parley.core.model.errors import LaneLost
from parley.core.ports.lease import LeaseToken, holding_lease, uptime
from tests.kit.machine import patience


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
