"""An MCP server, or one where people sign in, that answers what a test has written down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.kit.free_ports import free_port
from tests.kit.waiting import until


@dataclass
class WireServer:
    """Its address, and what it was asked: method, path, and the credentials that came along."""

    url: str
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def paths(self) -> list[str]:
        return [path for _, path, _ in self.asked]


@asynccontextmanager
async def wire_server(answer: Callable[[WireServer, Request], Response]) -> AsyncIterator[WireServer]:
    """Serve these answers; what no answer is written for is 404."""
    port = free_port()
    server = WireServer(f"http://127.0.0.1:{port}")

    async def take(request: Request) -> Response:
        server.asked.append((request.method, request.url.path, request.headers.get("authorization", "")))
        await request.body()
        return answer(server, request)

    app = Starlette(routes=[Route("/{path:path}", take, methods=["GET", "POST", "DELETE"])])
    serving = uvicorn.Server(uvicorn.Config(app, port=port, log_config=None, lifespan="off"))
    task = asyncio.create_task(serving.serve())
    await until(lambda: serving.started, "the server listens")
    try:
        yield server
    finally:
        serving.should_exit = True
        await task


def refusing(server: WireServer, request: Request) -> Response:
    """Ask everybody for credentials, and have nothing else."""
    return Response(status_code=401 if request.url.path == "/mcp" else 404)
