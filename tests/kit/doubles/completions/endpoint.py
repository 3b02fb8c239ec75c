"""The endpoint of OpenAI's chat completions, on a free port."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

# langchain-openai keeps connections beyond the event loop of a test. A later server at the same port would
# be asked over one of those.
_CLOSED = [("connection", "close")]


@asynccontextmanager
async def completions_endpoint(answer: Callable[[Request], Awaitable[Response]]) -> AsyncIterator[str]:
    """Its base URL, while the block lasts."""
    app = Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])
    listener = uvicorn.Config(app, port=0, log_level="error").bind_socket()
    config = uvicorn.Config(app, log_level="error", lifespan="off", headers=_CLOSED)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        server.should_exit = True
        await running
