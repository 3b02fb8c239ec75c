"""Bodies that mean harm, at every route that takes one: refused in a sentence, in little memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from parley.server.app import create_app
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from parley.server.routes.api_route import ApiRoute
from tests.kit.machine import patience
from tests.kit.samples import graphs

JSON = {"content-type": "application/json"}
NUMBERS = ["1" + "0" * 30, "-9223372036854775809", "1e400", "-1e999", "NaN", "Infinity", "9" * 5000]
FIELDS = ("metadata", "values", "input", "context", "config", "value", "filter", "limit", "offset", "version")


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(EmbeddedOptions(tmp_path / "agent.sqlite", {"echo": graphs.echo}))
    transport = StreamingASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=transport, base_url="http://x", headers=JSON, timeout=patience(60)
        ) as client,
    ):
        yield client


def routes(tmp_path: Path) -> list[ApiRoute]:
    app = create_app(EmbeddedOptions(tmp_path / "unused.sqlite", {"echo": graphs.echo}))
    return [route for route in app.routes if isinstance(route, ApiRoute) and route.body is not None]


async def place(http: httpx.AsyncClient, route: ApiRoute) -> str:
    """The route's address, with a thread that is there."""
    thread = (await http.post("/threads", json={})).json()["thread_id"]
    names = {"thread_id": thread, "assistant_id": "echo", "cron_id": str(uuid4()), "run_id": str(uuid4())}
    return route.path.format(**names)


def orders(number: str) -> list[str]:
    """What says everything that a route needs, and a number in each place that has one."""
    needed = (
        '"assistant_id": "echo", "graph_id": "echo", "schedule": "* * * * *", "key": "k", "thread_ids": []'
    )
    return [
        f'{{{needed}, "value": {{}}, "{field}": {value}}}' for field in FIELDS for value in in_places(number)
    ]


def in_places(number: str) -> list[str]:
    return [number, f'{{"n": {number}}}', f'{{"configurable": {{"n": [[{number}]]}}}}']


@pytest.mark.parametrize("number", NUMBERS)
async def test_numbers_that_nothing_can_keep_are_refused(
    http: httpx.AsyncClient, tmp_path: Path, number: str
) -> None:
    for route in routes(tmp_path):
        address = await place(http, route)
        for body in orders(number):
            answer = await http.request(route.method, address, content=body)
            assert answer.status_code in (400, 404, 422), (route.path, body[-80:], answer.text[:200])
    assert (await http.post("/threads/search", json={"metadata": {"n": 1}})).json() == []


@pytest.mark.parametrize(
    "body",
    [
        "[" * 3_000_000,
        '{"a":' * 500_000,
        "[" * 300 + "]" * 300,
        '"\\ud800"',
        "null",
        "7",
        "[]",
        "",
        "{",
        "\x00",
    ],
    ids=range(10),
)
async def test_what_is_no_body_is_refused(http: httpx.AsyncClient, tmp_path: Path, body: str) -> None:
    for route in routes(tmp_path):
        answer = await http.request(route.method, await place(http, route), content=body)
        assert answer.status_code in (413, 422), (route.path, answer.text[:200])
        assert len(answer.text) < 2_000


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "/store/items/search", {"filter": {"x": {"$foo": 1}}}, "operator"),
        ("POST", "/store/items/search", {"filter": {"x') OR 1=1 --": 1}}, "ilter key"),
        ("POST", "/store/items/search", {"namespace_prefix": ["a.b"]}, "amespace"),
        ("DELETE", "/store/items", {"namespace": [""], "key": "k"}, "amespace"),
        ("PUT", "/store/items", {"namespace": [], "key": "k", "value": {}}, "amespace"),
        ("POST", "/threads/{thread}/history", {"metadata": {"x') OR 1=1 --": 1}}, "ilter key"),
        ("POST", "/assistants", {"graph_id": "echo", "config": {"configurable": 5}}, "configurable"),
        ("POST", "/assistants", {"graph_id": "echo", "config": {"recursion_limit": "x"}}, "recursion_limit"),
        ("PATCH", "/assistants/echo", {"config": {"tags": 5}}, "tags"),
    ],
)
async def test_what_the_libraries_refuse_is_said(
    http: httpx.AsyncClient,
    method: str,
    path: str,
    body: dict[str, Any],
    said: str,
) -> None:
    thread = (await http.post("/threads", json={"metadata": {"graph_id": "echo"}})).json()["thread_id"]
    answer = await http.request(method, path.format(thread=thread), json=body)
    assert answer.status_code == 422
    assert said in answer.text
