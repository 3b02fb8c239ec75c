"""Requests to a platform: one pool of connections, bounded waits, errors without secrets."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from parley.channels.kit.http.errors import map_network_errors
from parley.channels.kit.http.pool import HttpPool

UPLOAD_TIMEOUT = 300.0
"""Seconds of silence after which an upload is given up."""
_AT_ONCE = 1 << 20
"""Bytes that are handed to a connection in one piece."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpClient:
    """HTTP to `platform`, whose name is in the errors; connecting takes at most `connect_timeout` seconds."""

    def __init__(self, pool: HttpPool, platform: str, connect_timeout: float) -> None:
        self._pool, self._platform, self._connect_timeout = pool, platform, connect_timeout

    async def request(
        self,
        method: str,
        url: str,
        body: bytes | Mapping[str, str] | aiohttp.FormData | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        silence: float | None = None,
        total: float | None = None,
    ) -> HttpResponse:
        """Return the response; it takes `total` seconds at most, with no `silence` longer than that.

        Raises ChannelUnavailable where nothing was sent, else ResponseLost.
        """
        timeout = aiohttp.ClientTimeout(total=total, sock_connect=self._connect_timeout, sock_read=silence)
        data = io.BytesIO(body) if isinstance(body, bytes) and len(body) > _AT_ONCE else body
        with map_network_errors(self._platform):
            async with (
                self._pool as session,
                session.request(
                    method, url, data=data, headers=headers, params=query, timeout=timeout
                ) as response,
            ):
                return HttpResponse(response.status, response.headers, await response.read())

    @asynccontextmanager
    async def stream(
        self, url: str, *, headers: Mapping[str, str], query: Mapping[str, str], silence: float
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open a response whose body is read meanwhile. Raises the same."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._connect_timeout, sock_read=silence)
        with map_network_errors(self._platform):
            async with (
                self._pool as session,
                session.get(url, headers=headers, params=query, timeout=timeout) as response,
            ):
                yield response
