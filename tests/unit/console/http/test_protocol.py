"""Clients that send slowly, or never, are let go; those that get on are not."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from parley.console.http.middleware import MAX_HEADERS
from parley.console.http.options import ConsoleOptions, HttpTimeouts
from parley.console.http.protocol import TimedHttp
from tests.kit.doubles.console_server import ROUTES, TOKEN, serving
from tests.kit.machine import patience
from tests.kit.virtual_time import run_in_virtual_time

NEVER = 3_600.0
SOON = 0.05
AUTH = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n".encode()
LONG = b"POST /api/echo HTTP/1.1\r\n" + AUTH + b"Content-Length: 100000\r\n\r\n"


def timed(headers: float = NEVER, body: float = NEVER) -> ConsoleOptions:
    return ConsoleOptions(port=0, token=TOKEN, timeouts=HttpTimeouts(headers, body))


@asynccontextmanager
async def connected(
    http: httpx.AsyncClient, *sent: bytes
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", http.base_url.port)
    for piece in sent:
        writer.write(piece)
    try:
        async with asyncio.timeout(patience(20)):
            yield reader, writer
    finally:
        writer.transport.abort()


async def until_closed(http: httpx.AsyncClient, *sent: bytes) -> bytes:
    async with connected(http, *sent) as (reader, _):
        return await reader.read()


def status(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.parametrize("sent", [b"GET /", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
async def test_headers_that_do_not_come_end_with_408(sent: bytes) -> None:
    async with serving(timed(headers=SOON)) as http:
        assert status(await until_closed(http, sent)) == (408, "too_slow")


async def test_a_connection_without_a_request_is_closed_without_a_word() -> None:
    async with serving(timed(headers=SOON)) as http:
        assert await until_closed(http) == b""


async def test_the_second_request_of_a_connection_has_its_time_too() -> None:
    async with serving(timed(headers=SOON)) as http:
        answer = await until_closed(http, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /li")
        assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("begun", [b"", b"x" * 500])
@pytest.mark.parametrize("path", [b"/api/echo", b"/signin"])
async def test_a_body_that_does_not_come_ends_with_408(path: bytes, begun: bytes) -> None:
    async with serving(timed(body=SOON)) as http:
        assert status(await until_closed(http, LONG.replace(b"/api/echo", path) + begun)) == (408, "too_slow")


class Wire(asyncio.Transport):
    """The server's end of a connection without a socket."""

    def __init__(self) -> None:
        super().__init__()
        self.said = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.said += bytes(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        """Nothing is read here but what a test hands over."""

    def resume_reading(self) -> None:
        """See pause_reading."""


def answering(gate: asyncio.Event) -> tuple[TimedHttp, Wire]:
    """A connection to an application that reads the whole body once `gate` is open."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await gate.wait()
        body = await Request(scope, receive).body()
        await PlainTextResponse(str(len(body)))(scope, receive, send)

    config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None)
    protocol = TimedHttp(config, ServerState(), {}, asyncio.get_running_loop(), timeouts=HttpTimeouts())
    wire = Wire()
    protocol.connection_made(wire)
    return protocol, wire


UPLOAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"


@run_in_virtual_time
async def test_a_body_that_goes_on_is_taken_however_long_it_takes() -> None:
    gate = asyncio.Event()
    gate.set()
    protocol, wire = answering(gate)
    protocol.data_received(UPLOAD)
    for _ in range(100):
        await asyncio.sleep(HttpTimeouts().body - 1)
        protocol.data_received(b"x" * 1_000)
    await asyncio.sleep(1)
    assert wire.said.startswith(b"HTTP/1.1 200")


@run_in_virtual_time
async def test_a_body_of_which_a_byte_comes_now_and_then_is_not_awaited() -> None:
    protocol, wire = answering(asyncio.Event())
    protocol.data_received(UPLOAD)
    while not wire.closed:
        await asyncio.sleep(HttpTimeouts().body / 10)
        protocol.data_received(b"x")
    assert status(wire.said) == (408, "too_slow")


@run_in_virtual_time
async def test_headers_of_which_a_byte_comes_now_and_then_are_not_awaited() -> None:
    protocol, wire = answering(asyncio.Event())
    protocol.data_received(b"GET / HTTP/1.1\r\nX: ")
    while not wire.closed:
        await asyncio.sleep(1)
        protocol.data_received(b"x")
    assert status(wire.said) == (408, "too_slow")


@run_in_virtual_time
async def test_what_waits_for_us_is_not_the_clients_fault() -> None:
    """The application does not read: the body is held up here, for longer than its time-out."""
    gate = asyncio.Event()
    protocol, wire = answering(gate)
    protocol.data_received(UPLOAD + b"x" * 90_000)
    await asyncio.sleep(10 * HttpTimeouts().body)
    gate.set()
    await asyncio.sleep(1)
    protocol.data_received(b"x" * 10_000)
    await asyncio.sleep(1)
    assert wire.said.startswith(b"HTTP/1.1 200")


@run_in_virtual_time
async def test_an_application_that_takes_its_time_is_waited_for() -> None:
    gate = asyncio.Event()
    protocol, wire = answering(gate)
    protocol.data_received(UPLOAD.replace(b"100000", b"4") + b"four")
    await asyncio.sleep(1_000)
    assert (wire.said, wire.closed) == (b"", False)
    gate.set()
    await asyncio.sleep(1)
    assert wire.said.startswith(b"HTTP/1.1 200")


async def test_an_application_in_the_midst_of_reading_hears_that_the_client_has_gone() -> None:
    heard: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def read(request: Request) -> Response:
        try:
            await request.body()
        except ClientDisconnect:
            heard.set_result(True)
        return PlainTextResponse("read")

    routes = (*ROUTES, Route("/api/read", read, methods=["POST"]))
    async with serving(timed(body=SOON), routes) as http:
        answer = await until_closed(http, LONG.replace(b"/api/echo", b"/api/read"))
        assert status(answer) == (408, "too_slow")
        assert await heard


async def test_too_many_headers_are_refused() -> None:
    async with serving() as http:
        many = {f"x-{number}": "y" for number in range(MAX_HEADERS)}
        answer = await http.get("/api/echo", headers=many)
        assert (answer.status_code, answer.json()["error"]["code"]) == (431, "too_many_headers")
        head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "
        assert status(await until_closed(http, head, b"y" * 20_000)) == (431, "too_many_headers")
