"""Ways to an agent server: over the network, or into this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

import httpx
from aiohttp import ClientResponse, ClientSession
from httpx_aiohttp import AiohttpTransport
from yarl import URL


@dataclass(frozen=True, slots=True)
class TransportRequest:
    """A request. `url` is quoted already; header names are in lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


class TransportResponse(Protocol):
    """A response whose body is still to come, decompressed; on leaving, its connection is free or closed."""

    @property
    def status(self) -> int: ...

    def header(self, name: str) -> str:
        """A header's value, "" where there is none."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *error: object) -> None: ...


class HttpTransport(Protocol):
    """How a server is reached; what goes wrong is raised as aiohttp or httpx says it (agent.wire)."""

    async def open(self, call: TransportRequest) -> TransportResponse:
        """Send a request; return once the response's head is there."""
        ...


class NetworkTransport:
    """Straight through aiohttp: a request and its answer as httpx's objects would cost as much again."""

    def __init__(self, transport: AiohttpTransport) -> None:
        """Shares the session of `transport`, which closes it."""
        self._transport = transport

    async def open(self, call: TransportRequest) -> TransportResponse:
        url = URL(call.url, encoded=True)
        response = await self._session().request(
            call.method, url, headers=call.headers, data=call.body, allow_redirects=False
        )
        return _FromNetwork(response)

    def _session(self) -> ClientSession:
        if not isinstance(self._transport.client, ClientSession):
            self._transport.client = self._transport.get_client()
        return self._transport.client


class InProcessTransport:
    """Through an httpx transport, as one into an application of this process is."""

    def __init__(self, transport: httpx.AsyncBaseTransport, timeout: httpx.Timeout) -> None:
        self._transport = transport
        self._extensions = {"timeout": timeout.as_dict()}

    async def open(self, call: TransportRequest) -> TransportResponse:
        request = httpx.Request(
            call.method, call.url, headers=call.headers, content=call.body, extensions=self._extensions
        )
        response = await self._transport.handle_async_request(request)
        response.request = request
        return _FromInside(response)


class _FromNetwork:
    def __init__(self, response: ClientResponse) -> None:
        self._response = response
        self.status = response.status

    def header(self, name: str) -> str:
        return self._response.headers.get(name, "")

    def pieces(self) -> AsyncIterator[bytes]:
        return aiter(self._response.content.iter_any())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self._response.release()
        await self._response.wait_for_close()


class _FromInside:
    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code

    def header(self, name: str) -> str:
        return str(self._response.headers.get(name, ""))

    def pieces(self) -> AsyncIterator[bytes]:
        return self._response.aiter_bytes()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._response.aclose()
