"""A service on loopback that takes feedback, as the tests of each destination need one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest
from aiohttp import web

from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.model.types import Json

RUN = "0199c0de-0000-7000-8000-00000000abcd"
TURN = "3b241101-e2bb-4255-8caf-4136c566a962"


@dataclass
class Call:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Json]:
        found: dict[str, Json] = json.loads(self.body)
        return found


@dataclass
class Service:
    """Answers 200, or with the next of `statuses`; keeps the requests. `headers` are those of its answers."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, request: web.Request) -> web.Response:
        headers = {key.lower(): value for key, value in request.headers.items()}
        self.calls.append(Call(request.method, request.path, headers, await request.read()))
        self.news.set()
        status = self.statuses.pop(0) if self.statuses else 200
        away = {"location": f"{self.url}/elsewhere"} if status in (301, 307) else {}
        return web.json_response({"id": "it"}, status=status, headers=away | self.headers)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    made = Service()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    made.url = f"http://{host}:{port}"
    try:
        yield made
    finally:
        await runner.cleanup()


def feedback(choice: FeedbackChoice = FeedbackChoice.DOWN, **changes: object) -> Feedback:
    """What Ann thinks of an answer."""
    words = "wrong year – 错了"
    made = Feedback("slack:U1", TURN, "slack:C1:1.2", choice, 1_700_000_000.5, words, RUN, "thread-1")
    return replace(made, **changes)  # type: ignore[arg-type]
