"""A simulated platform that ends leaves no connection open."""

from __future__ import annotations

import asyncio

from aiohttp import web

from simulator.ending import ended


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b"x" * 100_000)


async def test_a_client_that_reads_no_more_is_cut_off():
    app = web.Application()
    app.router.add_get("/", endless)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    assert runner.server
    reader, writer = await asyncio.open_connection(*runner.addresses[0])
    writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    await reader.readexactly(100_000)
    (connection,) = runner.server.connections
    assert connection.transport
    socket = connection.transport.get_extra_info("socket")
    await asyncio.sleep(0.1)  # until nothing more finds room on the way
    await ended(runner)
    assert socket.fileno() == -1
    writer.close()
