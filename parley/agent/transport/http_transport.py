"""Ways to an agent server: what they share, and the one into this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol, Self

import httpx

CONNECT = 5.0
"""Seconds for a connection."""
HEARTBEAT = 60.0
"""Servers send a sign of life every 5 to 15 s; after this long without one the connection is dead."""


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
    """How a server is reached; what goes wrong is raised as httpx says it (agent.transport.error_mapping)."""

    async def open(self, call: TransportRequest) -> TransportResponse:
        """Send a request; return once the response's head is there."""
        ...


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
