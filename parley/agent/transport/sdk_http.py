"""The SDK's HTTP layer, without its detours.

The SDK hands every body, however small, to a thread to be made or read as JSON; that costs more than the
JSON, and under load it waits for the interpreter's lock. It joins a broken stream again by itself, which we
do with our own notion of progress (agent.runs.follower). And httpx's client has cookies, redirects and
authentication flows that nobody here needs: requests go their way directly (agent.transport.http_transport).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import httpx
import orjson
from langgraph_sdk.client import HttpClient
from langgraph_sdk.schema import QueryParamTypes, StreamPart

from parley.agent.transport.decoding import MOST_BYTES, EventReader, UnreadableResponse, read_body, read_json
from parley.agent.transport.http_transport import HttpTransport, TransportRequest, TransportResponse
from parley.agent.transport.speaker_headers import fill_headers, has_places
from parley.core.ports.telemetry import current_turn

OnResponse = Callable[[httpx.Response], None]

# In lower case, as the client keeps its own: a header must not go out twice.
_JSON = {"content-type": "application/json"}
_STREAM = "text/event-stream"
_TRACE_PARENT = "traceparent"  # W3C trace context
_EVENTS = {"accept": _STREAM, "cache-control": "no-store"}
_TOLD = ("content-location", "location")
"""The headers that the SDK looks at."""

_LARGE = 256_000
"""Bytes of JSON that take about a millisecond to read."""

_LONGEST_REASON = 100_000
"""Bytes of an error's body; the log has the beginning of it."""


class DirectHttp(HttpClient):
    """What the SDK's clients stand on: the address and headers of `client`, and a way to the server.

    Every call raises what agent.transport.error_mapping maps, among it ValueError where no JSON came. `most`
    are the bytes of one body or one event; where there are more, the connection is closed without reading on.
    """

    def __init__(self, client: httpx.AsyncClient, way: HttpTransport, most: int = MOST_BYTES) -> None:
        super().__init__(client)
        self._way = way
        self._most = most
        self._base = str(client.base_url).rstrip("/")
        # What can be decompressed is for the way to say.
        self._headers = {name: each for name, each in client.headers.items() if name != "accept-encoding"}
        self._places: Mapping[str, str] = {}

    def name_speakers(self, headers: Mapping[str, str]) -> None:
        """Fill these headers for whoever speaks when a request is made."""
        self._places = {name.lower(): each for name, each in headers.items() if has_places({name: each})}

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
        asked = {**_EVENTS, **(headers or {})}
        async with await self._ask(method, path, json, params, asked, on_response) as answer:
            if not answer.header("content-type").startswith(_STREAM):
                raise httpx.RemoteProtocolError("the answer is no stream of events")
            events = EventReader(self._most)
            async for piece in answer.pieces():
                for part in events.feed(piece):
                    yield part
            for part in events.end():
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
        async with await self._ask(method, path, json, params, headers or {}, on_response) as answer:
            if answer.header("content-type").startswith(_STREAM):
                # DeerFlow answers who waits for a run with its events; that they end is what was asked for.
                async for _ in answer.pieces():
                    pass
                return None
            body = await read_body(answer.pieces(), self._most)
        if len(body) > _LARGE:
            return await asyncio.to_thread(read_json, body)
        return read_json(body) if body else None

    async def _ask(
        self,
        method: str,
        path: str,
        json: object,
        params: QueryParamTypes | None,
        headers: Mapping[str, str],
        on_response: OnResponse | None,
    ) -> TransportResponse:
        """Return the answer to a request that succeeded. Raises httpx.HTTPStatusError for any other."""
        while True:
            body = self._body(json)
            call = self._call(method, path, body, params, headers)
            answer = await self._way.open(call)
            if 200 <= answer.status < 300:
                _tell(answer, on_response)
                return answer
            async with answer:
                _tell(answer, on_response)
                error = await _refusal(call, answer)
            if not self._is_mended(error, json, body):
                raise error

    def _body(self, json: object) -> object:
        """Return what is sent of a request's body."""
        return json

    def _is_mended(self, error: httpx.HTTPStatusError, json: object, sent: object) -> bool:
        """Return whether a refused request is to be made again, with what `_body` gives now."""
        return False

    def _call(
        self,
        method: str,
        path: str,
        json: object,
        params: QueryParamTypes | None,
        headers: Mapping[str, str],
    ) -> TransportRequest:
        url = self._base + path
        if params:
            url = str(httpx.URL(url, params=params))
        if self._places:
            headers = {**headers, **fill_headers(self._places)}
        if parent := current_turn().trace_parent:
            headers = {**headers, _TRACE_PARENT: parent}
        if json is None:
            return TransportRequest(method, url, {**self._headers, **headers}, None)
        body = orjson.dumps(json, option=orjson.OPT_NON_STR_KEYS)
        return TransportRequest(method, url, {**self._headers, **headers, **_JSON}, body)


def _tell(answer: TransportResponse, on_response: OnResponse | None) -> None:
    if on_response:
        told = {name: value for name in _TOLD if (value := answer.header(name))}
        on_response(cast("httpx.Response", _ResponseHead(answer.status, httpx.Headers(told))))


@dataclass(frozen=True, slots=True)
class _ResponseHead:
    """What the SDK looks at of a response: all of one costs as much as reading ten events."""

    status_code: int
    headers: httpx.Headers


async def _refusal(call: TransportRequest, answer: TransportResponse) -> httpx.HTTPStatusError:
    """Return the error for anything but success."""
    request = httpx.Request(call.method, call.url)
    response = httpx.Response(answer.status, content=await _reason(answer), request=request)
    return httpx.HTTPStatusError(f"HTTP {answer.status} for {call.url}", request=request, response=response)


async def _reason(answer: TransportResponse) -> bytes:
    try:
        return await read_body(answer.pieces(), _LONGEST_REASON)
    except UnreadableResponse as error:
        return f"({error})".encode()
