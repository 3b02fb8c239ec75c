"""The HTTP client that the agent's SDK client stands on."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from httpx_aiohttp import AiohttpTransport
from langgraph_sdk.client import AssistantsClient, LangGraphClient, RunsClient, ThreadsClient

from parley.agent.transport.decoding import MOST_BYTES, read_body
from parley.agent.transport.http_transport import HttpTransport, InProcessTransport, NetworkTransport
from parley.agent.transport.run_options import RunHttp
from parley.agent.transport.sdk_http import DirectHttp
from parley.agent.transport.speaker_headers import fill_headers
from parley.core.model.types import Json
from parley.core.network import proxy_for

_CONNECT = 5.0
_HEARTBEAT = 60.0
"""Servers send a sign of life every 5 to 15 s; after this long without one the connection is dead."""

_MOST_ASIDE = 10_000_000
"""Bytes of an answer about the server itself."""

_KEEP_ALIVE = 4.0
"""Below uvicorn's 5 s, so that a request never meets a connection that is just being closed."""


@dataclass(frozen=True, slots=True)
class AgentEndpoint:
    """Where the agent server is, how we show who we are, and the bytes of one answer or event at most.

    `headers` may say who speaks (agent.transport.speaker_headers).
    With `one_place` it is known to take no context beside `configurable`, of which it makes one itself.
    """

    url: str
    api_key: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    most_bytes: int = MOST_BYTES
    one_place: bool = False


def transport_for(url: str) -> AiohttpTransport:
    """An aiohttp-based transport without a bound on connections, which keeps no cookies.

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
        timeout=ClientTimeout(sock_connect=_CONNECT, sock_read=_HEARTBEAT),
        proxy=proxy or None,
    )


def http_client(
    endpoint: AgentEndpoint, transport: httpx.AsyncBaseTransport | None = None
) -> httpx.AsyncClient:
    """An HTTP client for `endpoint`, over `transport` where one is given.

    The key is sent only when configured: nothing is taken from the SDK's environment variables.
    """
    headers = {"User-Agent": "parley"}
    if endpoint.api_key:
        headers["x-api-key"] = endpoint.api_key
    return httpx.AsyncClient(
        base_url=endpoint.url,
        headers={**headers, **fill_headers(endpoint.headers)},
        transport=transport or transport_for(endpoint.url),
        timeout=httpx.Timeout(connect=_CONNECT, read=_HEARTBEAT, write=30.0, pool=None),
        trust_env=False,
    )


async def fetch(http: httpx.AsyncClient, method: str, path: str, json: Json = None) -> httpx.Response:
    """Ask beside the SDK. Raises UnreadableResponse where the answer is longer than any such answer is."""
    async with http.stream(method, path, json=json) as response:
        body = await read_body(response.aiter_bytes(), _MOST_ASIDE)
    return httpx.Response(response.status_code, content=body, request=response.request)


def make_clients(
    endpoint: AgentEndpoint, transport: httpx.AsyncBaseTransport | None = None
) -> tuple[httpx.AsyncClient, LangGraphClient]:
    """An HTTP client for `endpoint`, and the SDK over the same connections; closing the first closes both."""
    way: HttpTransport
    if transport is None:
        network = transport_for(endpoint.url)
        http, way = http_client(endpoint, network), NetworkTransport(network)
    else:
        http = http_client(endpoint, transport)
        way = InProcessTransport(transport, http.timeout)
    sdk, direct = LangGraphClient(http), DirectHttp(http, way, endpoint.most_bytes)
    runs = RunHttp(http, way, endpoint.most_bytes, one_place=endpoint.one_place)
    for each in (direct, runs):
        each.name_speakers(endpoint.headers)
    sdk.assistants = AssistantsClient(direct)
    sdk.threads = ThreadsClient(direct)
    sdk.runs = RunsClient(runs)
    return http, sdk
