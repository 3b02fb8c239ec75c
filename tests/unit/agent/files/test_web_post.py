"""Webhooks go to public addresses, and to hosts of one's own that the operator names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from parley.agent.files.web_post import WebPoster
from parley.simulator.kit import http_server as loopback


@pytest.fixture
async def heard() -> AsyncIterator[tuple[str, list[tuple[str, str]]]]:
    told: list[tuple[str, str]] = []

    async def hook(request: web.Request) -> web.Response:
        told.append((request.headers["webhook-id"], await request.text()))
        return web.Response(status=int(request.query.get("status", "200")))

    async def moved(_: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("/hook")

    app = web.Application()
    app.add_routes([web.post("/hook", hook), web.post("/moved", moved)])
    async with loopback.serving(app) as port:
        yield f"http://127.0.0.1:{port}", told


async def test_a_host_that_is_named_is_told(heard: tuple[str, list[tuple[str, str]]]) -> None:
    site, told = heard
    poster = WebPoster(("127.0.0.1",))
    assert poster.refusal(f"{site}/hook") == ""
    assert await poster.post(f"{site}/hook", b"{}", "run-1") == ""
    assert told == [("run-1", "{}")]
    assert await poster.post(f"{site}/hook?status=503", b"{}", "run-1") == "HTTP 503"
    assert await poster.post(f"{site}/moved", b"{}", "run-1") == "HTTP 307"


async def test_only_success_is_delivery() -> None:
    """A server that has its own idea of HTTP, as one behind a wrong port."""
    codes = [b"101 Switching Protocols", b"204 No Content", b"304 Not Modified", b"404 Not Found"]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"{}")
        writer.write(b"HTTP/1.1 %b\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n" % codes.pop(0))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        poster = WebPoster(("127.0.0.1",))
        answers = [await poster.post(url, b"{}", "run-1") for _ in range(4)]
    assert answers == ["HTTP 101", "", "HTTP 304", "HTTP 404"]


async def test_certificates_that_are_not_there_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    told = await WebPoster(("127.0.0.1",)).post("https://127.0.0.1:9/", b"{}", "run-1")
    assert told.startswith("FileNotFoundError")


async def test_nobody_else_inside_is_asked(heard: tuple[str, list[tuple[str, str]]]) -> None:
    site, told = heard
    poster = WebPoster(("hooks.example.org",))
    assert "not a public one" in await poster.post(f"{site}/hook", b"{}", "run-1")
    port = site.rpartition(":")[2]
    assert await poster.post(f"http://localhost:{port}/hook", b"{}", "run-1") != ""
    assert not told


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1/x", "http://10.0.0.8", "http://[::1]:80/", "http://169.254.169.254/latest"),
        *("http://localhost/x", "/runs", "ftp://example.org/", "http://me@example.org/", "http://", ""),
    ],
)
def test_what_can_never_be_asked_is_refused_at_once(url: str) -> None:
    assert WebPoster(("10.0.0.9",)).refusal(url)
