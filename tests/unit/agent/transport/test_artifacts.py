"""Files that an agent's gateway keeps for a thread."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from parley.agent.transport.artifacts import ThreadFiles
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.errors import AgentRefused, AgentUnreadable
from parley.simulator.kit import http_server as loopback

REPORT = "/mnt/user-data/outputs/Übersicht 1.md"


async def _file(request: web.Request) -> web.Response:
    if request.headers.get("X-Token") != "secret":
        raise web.HTTPForbidden
    if "/" + request.match_info["path"] != REPORT:
        raise web.HTTPNotFound
    return web.Response(body=b"# Report of " + request.match_info["thread"].encode())


@pytest.fixture(params=["/api/threads", "/threads"])
async def gateway(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    app = web.Application()
    app.add_routes([web.get(f"{request.param}/{{thread}}/artifacts/{{path:.+}}", _file)])
    async with loopback.serving(app) as port:
        yield f"http://127.0.0.1:{port}"


async def fetched(gateway: str, path: str, most: int = 100, token: str = "secret") -> bytes:
    endpoint = AgentEndpoint("http://127.0.0.1:9", headers={"X-Token": token})
    return await ThreadFiles(gateway + "/", endpoint).fetch("t-1", path, most)


async def test_a_file_is_fetched_by_the_name_that_the_agent_uses(gateway: str) -> None:
    assert await fetched(gateway, REPORT) == b"# Report of t-1"


@pytest.mark.parametrize(
    "path", ["/mnt/other.md", "", "/mnt/../../etc/passwd", "mnt//x", "mnt\\x", "/mnt/" + "x" * 1000]
)
async def test_there_is_no_such_file(gateway: str, path: str) -> None:
    with pytest.raises(AgentRefused):
        await fetched(gateway, path)


async def test_a_refused_key_and_a_large_file_are_errors(gateway: str) -> None:
    with pytest.raises(AgentRefused):
        await fetched(gateway, REPORT, token="wrong")
    with pytest.raises(AgentUnreadable):
        await fetched(gateway, REPORT, most=5)
