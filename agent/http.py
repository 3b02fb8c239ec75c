"""The SDK's HTTP layer, without its detours.

The SDK hands every body, however small, to a thread to be made or read as JSON; that costs more than the
JSON, and under load it waits for the interpreter's lock. It joins a broken stream again by itself, which we
do with our own notion of progress (agent.follow). And httpx's client has cookies, redirects and
authentication flows that nobody here needs: requests go to its transport directly.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
import orjson
from langgraph_sdk.client import HttpClient
from langgraph_sdk.schema import QueryParamTypes, StreamPart
from langgraph_sdk.sse import BytesLineDecoder, SSEDecoder

OnResponse = Callable[[httpx.Response], None]

# In lower case, as the client keeps its own: a header must not go out twice.
_JSON = {"content-type": "application/json"}
_EVENTS = {"accept": "text/event-stream", "cache-control": "no-store"}
_LARGE = 256_000
"""Bytes of JSON that take about a millisecond to read."""


class DirectHttp(HttpClient):
    """What the SDK's clients stand on: the address, headers and time-outs of `client`, and its transport.

    Every call raises httpx.HTTPError, and ValueError where no JSON came.
    """

    def __init__(self, client: httpx.AsyncClient, transport: httpx.AsyncBaseTransport) -> None:
        super().__init__(client)
        self._transport = transport
        self._base = str(client.base_url).rstrip("/")
        self._headers = dict(client.headers)
        self._extensions = {"timeout": client.timeout.as_dict()}

    async def get(
        self,
        path: str,
        *,
        params: QueryParamTypes | None = None,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
    ) -> Any:  # noqa: ANN401 - the SDK's signature
        return await self._send("GET", path, None, params, headers, on_response)

    async def post(
        self,
        path: str,
        *,
        json: dict[str, Any] | list[Any] | None,
        params: QueryParamTypes | None = None,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
    ) -> Any:  # noqa: ANN401
        return await self._send("POST", path, json, params, headers, on_response)

    async def request_reconnect(
        self,
        path: str,
        method: str,
        *,
        json: dict[str, Any] | None = None,
        params: QueryParamTypes | None = None,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
        reconnect_limit: int = 0,
    ) -> Any:  # noqa: ANN401
        return await self._send(method, path, json, params, headers, on_response)

    async def stream(
        self,
        path: str,
        method: str,
        *,
        json: dict[str, Any] | None = None,
        params: QueryParamTypes | None = None,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
    ) -> AsyncIterator[StreamPart]:
        """The events of a stream, until it closes for whatever reason."""
        async with self._open(method, path, json, params, {**_EVENTS, **(headers or {})}) as response:
            await _accept(response, on_response)
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise httpx.RemoteProtocolError("the answer is no stream of events")
            lines, events = BytesLineDecoder(), SSEDecoder()
            async for chunk in response.aiter_bytes():
                for line in lines.decode(chunk):
                    if part := events.decode(cast("bytes", line)):
                        yield part
            for line in (*lines.flush(), b""):
                if part := events.decode(cast("bytes", line)):
                    yield part

    async def _send(
        self,
        method: str,
        path: str,
        json: object,
        params: QueryParamTypes | None,
        headers: Mapping[str, str] | None,
        on_response: OnResponse | None,
    ) -> Any:  # noqa: ANN401
        async with self._open(method, path, json, params, headers or {}) as response:
            await _accept(response, on_response)
            body = await response.aread()
        if len(body) > _LARGE:
            return await asyncio.to_thread(orjson.loads, body)
        return orjson.loads(body) if body else None

    @asynccontextmanager
    async def _open(
        self,
        method: str,
        path: str,
        json: object,
        params: QueryParamTypes | None,
        headers: Mapping[str, str],
    ) -> AsyncIterator[httpx.Response]:
        request = httpx.Request(
            method,
            self._base + path,
            params=params,
            headers={**self._headers, **headers, **(_JSON if json is not None else {})},
            content=None if json is None else orjson.dumps(json, option=orjson.OPT_NON_STR_KEYS),
            extensions=self._extensions,
        )
        response = await self._transport.handle_async_request(request)
        response.request = request
        try:
            yield response
        finally:
            await response.aclose()


async def _accept(response: httpx.Response, on_response: OnResponse | None) -> None:
    if on_response:
        on_response(response)
    if response.is_error:
        await response.aread()
    response.raise_for_status()
