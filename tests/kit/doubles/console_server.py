"""A console on a real socket of loopback."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.ports.health import Health, HealthReport
from tests.kit.machine import patience

UP = HealthReport("store", Health.UP, "", 0.0)
TOKEN = "a-token-that-is-long-enough"


async def _echo(request: Request) -> Response:
    return JSONResponse({"method": request.method, "body": (await request.body()).decode()})


ROUTES: tuple[BaseRoute, ...] = (
    Route("/", _echo),
    Route("/api/echo", _echo, methods=["GET", "POST", "DELETE"]),
)

WEBHOOKS: tuple[BaseRoute, ...] = (Route("/hooks/test", _echo, methods=["POST"]),)


@asynccontextmanager
async def serving(
    options: ConsoleOptions | None = None,
    routes: Sequence[BaseRoute] = ROUTES,
    reports: Sequence[HealthReport] = (UP,),
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server on a free port, with its token; leaving stops the server and waits for its end."""
    options = options or ConsoleOptions(port=0, token=TOKEN)
    server = HttpServer(options, routes, lambda: reports)
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(server.run(url.set_result))
    try:
        async with httpx.AsyncClient(
            base_url=await url, headers=bearer(options.token), timeout=patience(20)
        ) as http:
            yield http
    finally:
        running.cancel()
        await asyncio.wait([running])


def inside(
    options: ConsoleOptions | None = None, reports: Sequence[HealthReport] = (UP,), *, signed_in: bool = True
) -> httpx.AsyncClient:
    """A client of the same application without a socket in between."""
    options = options or ConsoleOptions(token=TOKEN, generated=True)
    server = HttpServer(options, ROUTES, lambda: reports, webhooks=WEBHOOKS)
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(server.app),
        base_url="http://127.0.0.1:8321",
        headers=bearer(options.token) if signed_in else {},
    )


def bearer(token: str) -> dict[str, str]:
    """The headers of a program that has the token."""
    return {"authorization": f"Bearer {token}"}
