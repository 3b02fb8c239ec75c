"""The way to an agent server over the network: aiohttp, loaded only where one is asked over it."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from typing import Self
from urllib.parse import urlsplit

import httpx
from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    DummyCookieJar,
    TCPConnector,
)
from httpx_aiohttp import AiohttpTransport
from yarl import URL

from parley.agent.transport.http_transport import CONNECT, HEARTBEAT, TransportRequest, TransportResponse
from parley.core.network import proxy_for

_KEEP_ALIVE = 4.0
"""Below uvicorn's 5 s, so that a request never meets a connection that is just being closed."""


def transport_for(url: str) -> AiohttpTransport:
    """Return a transport of aiohttp's without a bound on connections, which keeps no cookies.

    httpx's own keeps 100 connections in a pool that costs the square of them: at thousands of runs
    it refuses most.
    """
    proxy = proxy_for(url)
    # The certificates of the world are read only where there is something to check.
    tls = httpx.create_ssl_context() if proxy or urlsplit(url).scheme == "https" else _trusts_nobody()
    return AiohttpTransport(verify=tls, client=lambda: _session(tls, proxy))


def _trusts_nobody() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _session(tls: ssl.SSLContext, proxy: str) -> ClientSession:
    return ClientSession(
        connector=TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE, ssl=tls),
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(sock_connect=CONNECT, sock_read=HEARTBEAT),
        proxy=proxy or None,
    )


class NetworkTransport:
    """Straight through aiohttp: a request and its answer as httpx's objects would cost as much again."""

    def __init__(self, transport: AiohttpTransport) -> None:
        """Shares the session of `transport`, which closes it."""
        self._transport = transport

    async def open(self, call: TransportRequest) -> TransportResponse:
        """Send a request; return once the response's head is there."""
        url = URL(call.url, encoded=True)
        try:
            response = await self._session().request(
                call.method, url, headers=call.headers, data=call.body, allow_redirects=False
            )
        except ClientError as error:
            raise _translated(error) from error
        return _NetworkResponse(response)

    def _session(self) -> ClientSession:
        if not isinstance(self._transport.client, ClientSession):
            self._transport.client = self._transport.get_client()
        return self._transport.client


class _NetworkResponse:
    def __init__(self, response: ClientResponse) -> None:
        self._response = response
        self.status = response.status

    def header(self, name: str) -> str:
        return self._response.headers.get(name, "")

    def pieces(self) -> AsyncIterator[bytes]:
        return aiter(self._response.content.iter_any())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._response.release()
        await self._response.wait_for_close()
        for error in raised:
            if isinstance(error, ClientError):
                raise _translated(error) from error


def _translated(error: ClientError) -> Exception:
    """Return what httpx would raise for it."""
    said = str(error) or type(error).__name__
    match error:
        case ConnectionTimeoutError():
            return httpx.ConnectTimeout(said)
        case TimeoutError():
            return httpx.ReadTimeout(said)
        case _:
            return httpx.TransportError(said)
