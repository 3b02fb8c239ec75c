"""Requests to services: what an answer means, what is said of a failure, and what bounds each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from parley.core.model.errors import FeedbackUndelivered
from parley.feedback.http import open_client, send_json
from tests.kit.machine import patience
from tests.unit.feedback.conftest import Service


async def refusal(url: str, **more: object) -> FeedbackUndelivered:
    """What is said of a request that fails."""
    async with open_client() as http:
        with pytest.raises(FeedbackUndelivered) as caught:
            await send_json(http, "POST", url, b"{}", **more)  # type: ignore[arg-type]
    return caught.value


@asynccontextmanager
async def endless(chunk: bytes) -> AsyncIterator[str]:
    """A server that goes on answering for ever."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"{}")
            writer.write(b"HTTP/1.1 500 No\r\ncontent-type: text/plain\r\ncontent-length: 99999999\r\n\r\n")
            while not reader.at_eof():  # from Python 3.12 on a server waits for its connections
                writer.write(chunk)
                await writer.drain()
                await asyncio.sleep(0)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asks may give up before all is asked
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"


async def test_an_endless_answer_is_cut() -> None:
    async with endless(b"x" * 1000) as url, asyncio.timeout(patience(10)):
        assert "answered 500" in (await refusal(url)).user_text


async def test_a_silent_service_is_given_up() -> None:
    """The connection stays, and the answer never comes to its end."""
    async with endless(b"") as url, asyncio.timeout(patience(10)):
        assert "no answer" in (await refusal(url, deadline=patience(0.1))).user_text


@pytest.mark.parametrize("status", [500, 404, 422])
async def test_an_address_with_secrets_is_told_by_its_host(service: Service, status: int) -> None:
    service.statuses = [status]
    place = service.url.removeprefix("http://")
    error = await refusal(f"http://ann:hunter22@{place}/hooks/T0SECRET?token=T1SECRET#T2SECRET")
    assert error.user_text == f"{place} answered {status}"
    away = await refusal("http://ann:hunter22@127.0.0.1:9/hooks/T0SECRET?token=T1SECRET")
    assert away.user_text.startswith("127.0.0.1:9 gave no answer: ConnectError")
    assert "SECRET" not in away.user_text + error.user_text
    assert "hunter22" not in away.user_text + error.user_text


async def test_a_header_that_cannot_be_sent_is_not_shown(service: Service) -> None:
    error = await refusal(service.url, headers={"x-api-key": "lsv2_hidden\n"})
    assert "lsv2_hidden" not in error.user_text


@pytest.mark.parametrize(
    ("said", "wait"), [("7", 7.0), ("0", 0.0), ("soon", 0.0), ("-5", 0.0), ("1e9", 0.0), ("9" * 400, 3600.0)]
)
async def test_a_service_may_say_how_long_to_wait(service: Service, said: str, wait: float) -> None:
    service.statuses, service.headers = [429], {"Retry-After": said}
    error = await refusal(service.url)
    assert (error.refused, min(error.wait, 3600.0)) == (False, wait)


async def test_only_where_it_is_expected_is_a_conflict_an_answer(service: Service) -> None:
    service.statuses = [409, 409]
    assert "answered 409" in (await refusal(service.url)).user_text
    async with open_client() as http:
        assert await send_json(http, "POST", service.url, b"{}", expected=[409]) == 409


async def test_a_proxy_is_not_asked_for_this_machine(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with open_client() as http:
        assert await send_json(http, "POST", service.url, b"{}") == 200
        with pytest.raises(FeedbackUndelivered):
            await send_json(http, "POST", "http://192.0.2.1/", b"{}")


def test_a_client_follows_nobody_elsewhere() -> None:
    made: httpx.AsyncClient = open_client()
    assert not made.follow_redirects
