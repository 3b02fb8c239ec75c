"""Downloads that end at their limit."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from parley.channels.kit.http.download import download
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.simulator.kit.http_server import serving


@pytest.fixture
async def server() -> AsyncIterator[str]:
    async def plain(request: web.Request) -> web.Response:
        return web.Response(body=b"x" * 1000)

    async def endless(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        for _ in range(1000):
            await answer.write(b"x" * 1000)
        return answer

    async def broken(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "5000"})
        await answer.prepare(request)
        await answer.write(b"x" * 10)
        assert request.transport is not None
        request.transport.abort()
        return answer

    app = web.Application()
    app.router.add_get("/secret-token/plain", plain)
    app.router.add_get("/secret-token/endless", endless)
    app.router.add_get("/secret-token/broken", broken)
    async with serving(app) as port:
        yield f"http://127.0.0.1:{port}/secret-token/"


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


async def test_a_download_arrives_whole(server, session, tmp_path):
    assert await download(session, server + "plain", tmp_path / "a", 1000) == 1000
    assert (tmp_path / "a").read_bytes() == b"x" * 1000


@pytest.mark.parametrize(
    ("path", "limit", "error"),
    [
        ("plain", 999, AttachmentRefused),
        ("endless", 5000, AttachmentRefused),
        ("missing", 5000, AttachmentRefused),
        ("broken", 5000, ChannelUnavailable),
    ],
)
async def test_a_refused_download_leaves_nothing_behind_and_tells_no_secret(
    server, session, tmp_path, path, limit, error
):
    with pytest.raises(error) as raised:
        await download(session, server + path, tmp_path / "a", limit)
    assert "secret-token" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []
