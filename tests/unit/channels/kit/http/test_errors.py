"""What broke a connection is said in words, and without what is secret in its address."""

import asyncio
import ssl

import aiohttp
import pytest
from aiohttp import web
from aiohttp.client_reqrep import ConnectionKey

from parley.channels.kit.http.errors import describe_network_error
from parley.simulator.kit.http_server import serving


async def told(url: str, patient: float = 60.0) -> str:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(sock_read=patient)) as session:
        with pytest.raises((aiohttp.ClientError, TimeoutError)) as raised:
            await session.ws_connect(f"{url}/bot123:secret")
    return describe_network_error(raised.value)


async def handled(request: web.Request) -> web.Response:
    match request.match_info["how"]:
        case "cut":
            assert request.transport
            request.transport.abort()
        case "silent":
            await asyncio.Event().wait()
    return web.Response(status=418)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("answered", "it was answered with status 418"),
        ("cut", "the connection was cut"),
        ("silent", "nothing came in time"),
    ],
)
async def test_what_a_server_does_is_said(how: str, words: str) -> None:
    app = web.Application()
    app.router.add_get("/{how}/bot123:secret", handled)
    async with serving(app) as port:
        patient = 0.2 if how == "silent" else 60.0
        assert await told(f"http://127.0.0.1:{port}/{how}", patient) == words


async def test_nobody_at_the_port_is_said() -> None:
    async with serving(web.Application()) as port:
        pass
    assert await told(f"http://127.0.0.1:{port}") == f"127.0.0.1 takes no connections at port {port}"


async def test_an_unknown_name_is_said() -> None:
    said = await told("http://nowhere.invalid")
    assert said == "no address was found for nowhere.invalid (is this machine online?)"


def test_a_certificate_that_is_not_trusted_is_said() -> None:
    key = ConnectionKey("chat.example", 443, True, True, None, None, None)
    error = aiohttp.ClientConnectorCertificateError(key, ssl.SSLCertVerificationError("self-signed"))
    assert (
        describe_network_error(error)
        == "no secure connection to chat.example: its certificate is not trusted here"
    )


def test_other_ways_to_fail_are_said() -> None:
    key = ConnectionKey("chat.example", 443, True, True, None, None, None)
    other_protocol = aiohttp.ClientConnectorSSLError(key, ssl.SSLError(1, "wrong version number"))
    assert describe_network_error(other_protocol) == "no secure connection to chat.example could be agreed on"
    unreachable = OSError(113, "No route to host")
    assert (
        describe_network_error(aiohttp.ClientConnectorError(key, unreachable))
        == "no way to chat.example: No route to host"
    )
    assert describe_network_error(aiohttp.ClientOSError(104, "reset by peer")) == "the connection was cut"
    assert describe_network_error(aiohttp.ClientPayloadError("half of it")) == "the connection was cut"
    assert describe_network_error(aiohttp.ConnectionTimeoutError()) == "no connection came about in time"
    assert describe_network_error(aiohttp.InvalidURL("secret")) == "InvalidURL"
