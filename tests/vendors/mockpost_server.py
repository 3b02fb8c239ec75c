"""MockPost's Telegram as its author wrote it: `python mockpost_server.py PORT PARLEY SECRET`.

Only what it leaves out is added: the secret token that Telegram sends with each post.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

_HOOK = "/hooks/telegram"


@asynccontextmanager
async def _database(app: Starlette) -> AsyncIterator[None]:
    database = import_module("mockpost.db")
    await database.init_db()
    yield
    await database.close_db()


def make_app(parley: str, secret: str) -> Starlette:
    """Return MockPost's own routes, beside one that hands its posts on to Parley with the token."""

    async def post_on(request: Request) -> Response:
        headers = {"X-Telegram-Bot-Api-Secret-Token": secret, "content-type": "application/json"}
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.post(parley + _HOOK, content=await request.body(), headers=headers)
        return Response(answer.content, answer.status_code)

    mockpost: Any = import_module("fastapi").FastAPI()
    for router in ("telegram", "api_messages", "api_apps"):
        mockpost.include_router(import_module(f"mockpost.routers.{router}").router)
    return Starlette(
        routes=[Route(_HOOK, post_on, methods=["POST"]), Mount("/", mockpost)], lifespan=_database
    )


if __name__ == "__main__":
    port, address, token = sys.argv[1:]
    uvicorn.run(make_app(address, token), host="127.0.0.1", port=int(port), log_level="warning")
