"""Addresses in answers are asked only where everybody could ask them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from ipaddress import ip_address
from urllib.parse import quote

import pytest
from aiohttp import web

from parley.agent.files.web_address import NotFetched
from parley.agent.files.web_fetch import fetch_public
from parley.core.network import Address, is_public
from parley.simulator.kit import http_server as loopback

PICTURE = b"\x89PNG" + b"x" * 100


def here(address: Address) -> bool:
    """Take this machine for the web."""
    return address.is_loopback


@pytest.fixture
async def site() -> AsyncIterator[str]:
    async def picture(_: web.Request) -> web.Response:
        return web.Response(body=PICTURE, content_type="image/png")

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html>", content_type="text/html")

    async def moved(request: web.Request) -> web.Response:
        raise web.HTTPFound(request.query["to"])

    app = web.Application()
    app.add_routes([web.get("/p.png", picture), web.get("/page", page), web.get("/moved", moved)])
    async with loopback.serving(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::1"),
    ],
)
def test_addresses_of_ones_own_network_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_world_are_public(address: str) -> None:
    assert is_public(ip_address(address))


async def test_a_file_is_fetched_also_from_where_it_moved(site: str) -> None:
    assert await fetch_public(f"{site}/p.png", 1000, here) == (PICTURE, "image/png")
    assert await fetch_public(f"{site}/moved?to=/p.png", 1000, here) == (PICTURE, "image/png")
    named = site.replace("127.0.0.1", "localhost") + "/p.png"
    assert await fetch_public(named, 1000, here) == (PICTURE, "image/png")


@pytest.mark.parametrize(
    "path",
    [
        *("/page", "/none", "/moved?to=/page", "/moved?to=ftp://127.0.0.1/x", "/moved?to=http://10.0.0.1/x"),
        *("/moved?to=http://[::ffff:10.0.0.1]/x", "/moved?to=//me:pw@127.0.0.1/p.png"),
    ],
)
async def test_what_is_no_file_or_elsewhere_is_not_fetched(site: str, path: str) -> None:
    with pytest.raises(NotFetched) as refused:
        await fetch_public(site + path, 1000, here)
    assert not refused.value.too_large


async def test_redirects_have_an_end(site: str) -> None:
    place = "/p.png"
    for _ in range(4):
        place = f"/moved?to={quote(place, safe='')}"
    with pytest.raises(NotFetched, match="redirects"):
        await fetch_public(site + place, 1000, here)


async def test_a_file_that_is_too_large_is_not_read_to_its_end(site: str) -> None:
    with pytest.raises(NotFetched) as refused:
        await fetch_public(f"{site}/p.png", 50, here)
    assert refused.value.too_large


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://127.1/", "http://2130706433/"),
        *(
            "file:///etc/passwd",
            "ftp://example.org/x",
            "http://me@example.org/",
            "http://",
            "x",
            "http://[::1",
        ),
        *("http://169.254.169.254/latest/meta-data", "https://example.org/" + "a" * 3000),
    ],
)
async def test_ones_own_network_is_never_asked(url: str) -> None:
    with pytest.raises(NotFetched):
        await fetch_public(url, 1000)
