"""The server: starts, says where, stops, and explains itself in one line when it cannot."""

import asyncio
import signal
import socket

import httpx
import pytest

from benchmarks.kit.free_ports import free_port
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.model.errors import ConfigError
from tests.kit.doubles.console_server import ROUTES, TOKEN, UP, bearer, serving


async def run_until_it_fails(options: ConsoleOptions) -> str:
    with pytest.raises(ConfigError) as problem:
        await HttpServer(options, ROUTES, lambda: [UP]).run(lambda url: None)
    return problem.value.user_text


async def test_it_serves_the_routes_it_was_given() -> None:
    async with serving() as http:
        assert (await http.post("/api/echo", content="hi")).json() == {"method": "POST", "body": "hi"}
        assert (await http.get("/nowhere")).status_code == 404


async def test_the_port_is_free_again_when_it_has_stopped() -> None:
    port = free_port()
    for _ in range(2):
        async with serving(ConsoleOptions(port=port, token=TOKEN)) as http:
            assert (await http.get("/livez")).status_code == 200


async def test_a_port_in_use_is_one_line_with_path_and_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        said = await run_until_it_fails(ConsoleOptions(port=other.getsockname()[1], token=TOKEN))
    assert said.startswith("console.port: ")
    assert "in use" in said
    assert "\n" not in said


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "not a host"])
async def test_a_host_that_is_not_ours_is_one_line_with_path_and_remedy(host: str) -> None:
    said = await run_until_it_fails(ConsoleOptions(host=host, token="a-long-enough-token"))
    assert said.startswith("console.host: ")
    assert "127.0.0.1" in said


def test_being_on_this_machine_lets_nobody_in() -> None:
    with pytest.raises(ConfigError, match=r"^console\.token: is needed"):
        HttpServer(ConsoleOptions(), ROUTES, lambda: [UP])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_a_host_open_to_others_demands_a_token(host: str) -> None:
    with pytest.raises(ConfigError, match=r"^console\.host: .*console\.token"):
        HttpServer(ConsoleOptions(host=host), ROUTES, lambda: [UP])


def test_a_short_token_is_refused_where_others_could_guess_it() -> None:
    with pytest.raises(ConfigError, match=r"^console\.token: "):
        HttpServer(ConsoleOptions(host="0.0.0.0", token="short"), ROUTES, lambda: [UP])


async def test_everywhere_is_shown_as_an_address_that_can_be_opened() -> None:
    async with serving(ConsoleOptions(host="0.0.0.0", port=0, token="a-long-enough-token")) as http:
        assert http.base_url.host == "127.0.0.1"
        assert (await http.get("/livez")).status_code == 200


async def test_signals_stay_with_whoever_runs_the_loop() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    async with serving():
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


async def test_without_a_web_chat_the_root_says_so() -> None:
    async with serving(routes=()) as http:
        answer = await http.get("/")
        assert answer.status_code == 200
        assert "channels.web.enabled" in answer.text


async def test_every_answer_carries_the_security_headers() -> None:
    async with serving() as http:
        for path in ("/", "/api/echo", "/nowhere", "/livez"):
            headers = (await http.get(path)).headers
            assert "script-src 'self'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"


async def test_rubbish_on_the_wire_does_not_harm_the_next_request() -> None:
    async with serving() as http:
        reader, writer = await asyncio.open_connection("127.0.0.1", http.base_url.port)
        writer.write(b"\x00\xff rubbish\r\n\r\n")
        assert b"400" in await reader.readline()
        writer.close()
        await writer.wait_closed()
        odd = {"cookie": "a=\xff; ;;", "origin": "http://["}
        headers = httpx.Headers(odd | bearer(TOKEN), encoding="latin-1")
        assert (await http.get("/api/echo", headers=headers)).status_code == 200
        assert (await http.post("/api/echo", headers=headers)).status_code == 403
        headers["authorization"] = "Bearer"
        assert (await http.get("/api/echo", headers=headers)).status_code == 401
