"""A message in several frames is one message to a WebSocket client."""

from __future__ import annotations

import aiohttp
import pytest
from aiohttp import web

from parley.simulator.kit.http_server import serving
from parley.simulator.kit.websocket_frames import fragment_text


@pytest.mark.parametrize("size", [1, 125, 126, 70_000, 200_000])
async def test_a_client_reads_fragments_as_one_message(size):
    text = "Grüße 你好 " * 8_000 if size > 125 else "Grüße 你好"

    async def say(request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        assert request.transport
        request.transport.write(fragment_text(text, size))
        await ws.receive()
        return ws

    app = web.Application()
    app.router.add_get("/", say)
    async with (
        serving(app) as port,
        aiohttp.ClientSession() as http,
        http.ws_connect(f"http://127.0.0.1:{port}/") as ws,
    ):
        assert await ws.receive_str() == text
        await ws.close()
