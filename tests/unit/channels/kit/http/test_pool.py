"""No request leaves for what this node may not hold any more."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from parley.channels.kit.http.pool import HttpPool
from parley.core.model.errors import LaneLost
from parley.core.ports.lease import LeaseToken, holding_lease


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


async def test_one_that_outlived_the_lease_is_in_the_log(
    server: TestServer, clock: Uptime, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.WARNING)
    async with HttpPool() as session:
        with holding_lease(LeaseToken(10, clock.now, clock)):
            async with session.get(server.make_url("/slow?seconds=11")):
                pass
    assert "may be made twice" in caplog.text
