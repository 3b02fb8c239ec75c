"""A simulated platform that ends leaves no connection open."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import pytest
from aiohttp import web

from parley.simulator.kit.http_server import serving
from tests.kit.waiting import until


async def test_a_client_that_reads_no_more_is_cut_off():
    sockets, ways = [], list[asyncio.WriteTransport]()

    async def endless(request: web.Request) -> web.StreamResponse:
        assert request.transport
        sockets.append(request.transport.get_extra_info("socket"))
        ways.append(request.transport)
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 100_000)

    app = web.Application()
    app.router.add_get("/", endless)
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        await reader.readexactly(100_000)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await until(lambda: ways[0].get_write_buffer_size() > 0, "nothing more finds room on the way")
    assert [theirs.fileno() for theirs in sockets] == [-1]
    writer.close()


@pytest.mark.parametrize("rounds", range(6))
async def test_who_came_at_the_last_moment_is_cut_off(rounds):
    with socket.socket() as client:
        async with serving(web.Application()) as port:
            client.connect(("127.0.0.1", port))
            for _ in range(rounds):  # of the event loop: it takes some to accept a connection
                await asyncio.sleep(0)
        client.setblocking(False)
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""
