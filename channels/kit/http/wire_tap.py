"""Tells a listener what goes over one pool of connections: requests, responses and frames."""

from __future__ import annotations

from types import SimpleNamespace

import aiohttp

from parley.channels.kit.http.wire_listener import WireExchange, WireListener

MOST_BODY = 1 << 20
"""Bytes of a body that are kept."""
_TEXTS = ("json", "text", "html", "xml", "form")


def make_trace(listener: WireListener) -> aiohttp.TraceConfig:
    """Return what a session needs to tell of its requests."""
    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(_begin)
    trace.on_request_chunk_sent.append(_keep)

    async def end(
        session: aiohttp.ClientSession, context: SimpleNamespace, params: aiohttp.TraceRequestEndParams
    ) -> None:
        context.response = params.response
        context.request_headers = params.response.request_info.headers
        if not _is_read_at_once(params.response):
            listener.on_exchange(_exchange(context, b""))

    async def body(
        session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceResponseChunkReceivedParams,
    ) -> None:
        if _is_read_at_once(context.response):
            listener.on_exchange(_exchange(context, params.chunk[:MOST_BODY]))

    trace.on_request_end.append(end)
    trace.on_response_chunk_received.append(body)
    return trace


def make_socket_class(listener: WireListener) -> type[aiohttp.ClientWebSocketResponse]:
    """Return the kind of websocket that tells of its frames."""

    class TappedWebSocket(aiohttp.ClientWebSocketResponse):
        async def receive(self, timeout: float | None = None) -> aiohttp.WSMessage:
            message = await super().receive(timeout)
            if message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                listener.on_frame(message.data, inward=True)
            return message

        async def send_str(self, data: str, compress: int | None = None) -> None:
            await super().send_str(data, compress)
            listener.on_frame(data, inward=False)

        async def send_bytes(self, data: bytes, compress: int | None = None) -> None:
            await super().send_bytes(data, compress)
            listener.on_frame(data, inward=False)

    return TappedWebSocket


async def _begin(
    session: aiohttp.ClientSession, context: SimpleNamespace, params: aiohttp.TraceRequestStartParams
) -> None:
    context.method, context.url, context.sent = params.method, str(params.url), bytearray()


async def _keep(
    session: aiohttp.ClientSession, context: SimpleNamespace, params: aiohttp.TraceRequestChunkSentParams
) -> None:
    context.sent += params.chunk[: MOST_BODY - len(context.sent)]


def _is_read_at_once(response: aiohttp.ClientResponse) -> bool:
    """Tell whether the whole body is going to be told of; that of a file or a websocket is not."""
    return response.status != 101 and any(kind in response.content_type for kind in _TEXTS)


def _exchange(context: SimpleNamespace, received: bytes) -> WireExchange:
    response: aiohttp.ClientResponse = context.response
    return WireExchange(
        context.method,
        context.url,
        context.request_headers,
        bytes(context.sent),
        response.status,
        response.headers,
        received,
    )
