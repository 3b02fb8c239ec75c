"""The HTTP client that the agent's SDK client stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx
from langgraph_sdk.client import AssistantsClient, LangGraphClient, RunsClient, ThreadsClient

from parley.agent.transport.decoding import MOST_BYTES, read_body
from parley.agent.transport.http_transport import CONNECT, HEARTBEAT, HttpTransport, InProcessTransport
from parley.agent.transport.run_options import RunHttp
from parley.agent.transport.sdk_http import DirectHttp
from parley.agent.transport.speaker_headers import fill_headers
from parley.core.model.types import Json

if TYPE_CHECKING:
    from httpx_aiohttp import AiohttpTransport

_MOST_ASIDE = 10_000_000
"""Bytes of an answer about the server itself."""


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
        transport=transport or _over_network(endpoint),
        timeout=httpx.Timeout(connect=CONNECT, read=HEARTBEAT, write=30.0, pool=None),
        trust_env=False,
    )


def _over_network(endpoint: AgentEndpoint) -> AiohttpTransport:
    from parley.agent.transport.network_transport import transport_for

    return transport_for(endpoint.url)


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
        from parley.agent.transport.network_transport import NetworkTransport

        network = _over_network(endpoint)
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
