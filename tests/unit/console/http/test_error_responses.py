"""What the machine lacks is a 503 on every route, and `/readyz` says so at once."""

import errno
import os

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.health import Health, HealthReport
from tests.kit.doubles.console_server import TOKEN, bearer


def client(error: Exception) -> httpx.AsyncClient:
    async def fail(request: Request) -> Response:
        raise error

    reports = [HealthReport("store", Health.UP, "", 0.0)]

    async def look() -> None:
        reports[0] = HealthReport("store", Health.RETRYING, "the disk is full", 0.0)

    options = ConsoleOptions(token=TOKEN, generated=True)
    server = HttpServer(options, [Route("/api/fail", fail, methods=["POST"])], lambda: reports, look=look)
    transport = httpx.ASGITransport(server.app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321", headers=bearer(TOKEN))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "disk_full"),
        (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), "disk_full"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "too_many_files"),
        (StoreUnavailable("the disk is full"), "store_unavailable"),
    ],
)
async def test_a_shortage_is_answered_with_503(error: Exception, code: str) -> None:
    async with client(error) as http:
        answer = await http.post("/api/fail")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, code)
    assert "retry-after" in answer.headers


async def test_another_error_of_the_system_stays_one_of_ours() -> None:
    async with client(OSError(errno.EIO, "broken")) as http:
        assert (await http.post("/api/fail")).status_code == 500


async def test_readiness_is_looked_at_when_it_is_asked_for() -> None:
    async with client(OSError()) as http:
        answer = await http.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "store: retrying\n")


async def test_an_answer_of_503_puts_readiness_in_doubt() -> None:
    doubts: list[bool] = []

    async def fail(request: Request) -> Response:
        raise StoreUnavailable("the disk is full")

    server = HttpServer(
        ConsoleOptions(token=TOKEN, generated=True),
        [Route("/api/fail", fail)],
        lambda: [HealthReport("store", Health.UP, "", 0.0)],
        doubt=lambda: doubts.append(True),
    )
    transport = httpx.ASGITransport(server.app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=bearer(TOKEN)
    ) as http:
        assert (await http.get("/livez")).status_code == 200
        assert doubts == []
        assert (await http.get("/api/fail")).status_code == 503
        assert doubts == [True]
