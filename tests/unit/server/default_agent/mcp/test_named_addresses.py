"""An MCP server cannot have Parley ask inside the operator's network, or read answers without an end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from ipaddress import ip_address

import httpx
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from parley.core.network import Address
from parley.server.default_agent.mcp.named_addresses import AddressRefused, NamedAddresses, Resolve
from tests.unit.server.default_agent.mcp.wire_server import WireServer, wire_server

PUBLIC, INSIDE = ip_address("93.184.216.34"), ip_address("10.0.0.7")


def names(places: Mapping[str, list[Address]]) -> Resolve:
    """Resolve these names, numbers as what they are, and no others."""

    async def resolve(host: str) -> list[Address]:
        if host in places:
            return places[host]
        try:
            return [ip_address(host)]
        except ValueError:
            raise OSError("no such name") from None

    return resolve


ON_THE_INTERNET = {"mcp.example": [PUBLIC], "login.example": [PUBLIC], "both.example": [PUBLIC, INSIDE]}


@pytest.mark.parametrize(
    "url",
    [
        "https://169.254.169.254/latest",
        "https://127.0.0.1:8765/api",
        "https://[::1]/",
        "https://[::ffff:10.0.0.7]/",
        "https://both.example/token",
        "https://unknown.example/token",
        "http://login.example/token",
        "http://mcp.example/token",
        "https://2130706433/",
    ],
)
async def test_a_server_on_the_internet_names_public_hosts_over_https_only(url: str) -> None:
    checks = NamedAddresses("https://mcp.example/mcp", names(ON_THE_INTERNET))
    with pytest.raises(AddressRefused):
        await checks.check_request(httpx.Request("GET", url))


@pytest.mark.parametrize(
    ("server", "url"),
    [
        ("https://mcp.example/mcp", "https://login.example/token"),
        ("https://mcp.example/mcp", "https://mcp.example/.well-known/oauth-protected-resource"),
        ("http://10.0.0.7:9/mcp", "http://10.0.0.8/token"),
        ("http://localhost/mcp", "http://login.example/token"),
    ],
)
async def test_what_is_meant_to_be_asked_is_asked(server: str, url: str) -> None:
    places = {**ON_THE_INTERNET, "localhost": [ip_address("127.0.0.1")]}
    await NamedAddresses(server, names(places)).check_request(httpx.Request("GET", url))


def naming(place: str, asked_for: str) -> Callable[[WireServer, Request], Response]:
    """A server that names an address to the SDK's own provider in its metadata."""

    def answer(server: WireServer, request: Request) -> Response:
        if request.url.path == "/mcp":
            header = f'Bearer resource_metadata="{asked_for}"' if place == "header" else "Bearer"
            return Response(status_code=401, headers={"www-authenticate": header})
        if "oauth-protected-resource" in request.url.path and place == "metadata":
            return JSONResponse({"resource": f"{server.url}/mcp", "authorization_servers": [asked_for]})
        return Response(status_code=404)

    return answer


async def ask(server: WireServer, resolve: Resolve) -> None:
    async def nobody(_: str) -> None:
        raise AssertionError("nobody is sent anywhere")

    metadata = OAuthClientMetadata.model_validate({"redirect_uris": ["http://p.test/cb"]})
    url = f"{server.url}/mcp"
    auth = OAuthClientProvider(url, metadata, NoTokens(), nobody, None)
    async with NamedAddresses(url, resolve).client_factory()(auth=auth) as http:
        await http.get(url)


class NoTokens:
    """Nothing is kept."""

    async def get_tokens(self) -> None:
        return None

    async def set_tokens(self, tokens: object) -> None:
        raise AssertionError("there are no tokens")

    async def get_client_info(self) -> None:
        return None

    async def set_client_info(self, client_info: object) -> None:
        return None


@pytest.mark.parametrize("place", ["header", "metadata"])
async def test_the_sdk_is_kept_from_an_address_inside_that_a_server_names(place: str) -> None:
    async with wire_server(naming(place, "https://169.254.169.254/a")) as server:
        with pytest.raises(AddressRefused, match=r"169\.254\.169\.254 is not asked"):
            await ask(server, names({"127.0.0.1": [PUBLIC]}))


@pytest.mark.parametrize("header", [{}, {"content-encoding": "gzip"}])
@pytest.mark.parametrize("path", ["/mcp", "/.well-known/oauth-protected-resource/mcp"])
async def test_an_answer_without_an_end_is_not_read_to_it(path: str, header: dict[str, str]) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 65_536
            await asyncio.sleep(0)  # Or nobody hears that the client has gone.
            yield b" " * 65_536

    def answer(server: WireServer, request: Request) -> Response:
        status = 401 if request.url.path == "/mcp" else 200
        if request.url.path == path:
            return StreamingResponse(endless(), status, header)
        return Response(status_code=status)

    async with wire_server(answer) as server:
        with pytest.raises(AddressRefused):
            await ask(server, names({}))
    assert sent < 100_000_000
