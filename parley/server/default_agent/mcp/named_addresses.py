"""Requests to addresses that an MCP server names: where its people sign in, and what is known of that place.

Who runs a server on the Internet names them, so Parley asks public hosts over HTTPS only, and reads little
of their answers. A name that changes its meaning between the check and the request has no certificate for
where it leads then. A server inside the operator's own network is trusted with addresses there.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from ipaddress import ip_address

import httpx
from mcp.shared._httpx_utils import McpHttpClientFactory, create_mcp_http_client

from parley.core.network import Address, is_public

_MOST_ANSWER = 256_000
"""Bytes of an answer. Metadata and tokens have a few thousand."""

Resolve = Callable[[str], Awaitable[list[Address]]]


class AddressRefused(httpx.RequestError):
    """An address that is not asked, or an answer that is not read."""


async def resolve_host(host: str) -> list[Address]:
    """Return the addresses of a host. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [ip_address(str(each[4][0]).partition("%")[0]) for each in found]


class NamedAddresses:
    """Checks the requests to one MCP server, and those to addresses that it names."""

    def __init__(self, server_url: str, resolve: Resolve = resolve_host) -> None:
        self._server = httpx.URL(server_url)
        self._resolve = resolve

    def client_factory(self) -> McpHttpClientFactory:
        """Return what makes the SDK's clients, with these checks."""

        def make(
            headers: dict[str, str] | None = None,
            timeout: httpx.Timeout | None = None,
            auth: httpx.Auth | None = None,
        ) -> httpx.AsyncClient:
            made = create_mcp_http_client(headers, timeout, auth)
            made.event_hooks = {"request": [self.check_request], "response": [self.bound_response]}
            return made

        return make

    async def check_request(self, request: httpx.Request) -> None:
        """Let a request go on. Raises AddressRefused."""
        if request.url == self._server:
            return
        request.headers["accept-encoding"] = "identity"
        if _origin(request.url) == _origin(self._server) or await self._is_inside(self._server, request):
            return
        if request.url.scheme != "https" or await self._is_inside(request.url, request):
            raise AddressRefused(f"{request.url.host} is not asked: it is not public", request=request)

    async def bound_response(self, response: httpx.Response) -> None:
        """Have an answer end that is longer than any that is meant. Raises AddressRefused."""
        if response.request.url == self._server and response.status_code < 400:
            return
        if response.headers.get("content-encoding", "identity") != "identity":
            raise AddressRefused("the answer is compressed", request=response.request)
        stream = response.stream
        if isinstance(stream, httpx.AsyncByteStream):
            response.stream = _BoundedStream(stream, response.request)

    async def _is_inside(self, url: httpx.URL, request: httpx.Request) -> bool:
        try:
            found = await self._resolve(url.host)
        except OSError as error:
            raise AddressRefused(f"{url.host} has no address", request=request) from error
        return not found or not all(map(is_public, found))


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, request: httpx.Request) -> None:
        self._stream, self._request = stream, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for piece in self._stream:
            count += len(piece)
            if count > _MOST_ANSWER:
                raise AddressRefused(
                    f"the answer has more than {_MOST_ANSWER:,} bytes", request=self._request
                )
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
