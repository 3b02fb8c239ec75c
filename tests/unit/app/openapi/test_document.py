"""The document names each route of a real Parley, and real answers have the types that it names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pydantic import TypeAdapter
from starlette.routing import Mount, Route

from parley.app.composition.build import Parley, build_parley
from parley.app.openapi.document import build_document
from parley.app.openapi.operation import PARAMETERS, ApiOperation
from parley.app.openapi.operations import OPERATIONS
from parley.app.openapi.route import PATH
from parley.app.settings.load import read_settings
from parley.channels.web.chat.entries import ChatConversation
from tests.docs.api_page import FILES, render_files
from tests.kit.doubles.console_server import TOKEN, bearer

# Nobody answers there: Parley starts all the same.
SETTINGS = f"agent: {{url: 'http://127.0.0.1:9'}}\nconsole: {{token: {TOKEN}}}\n"
OF_THE_PAGE = {"/", "/page", "/page/kit/sentences.js"}
EVERY = [each for operations in OPERATIONS.values() for each in operations]
WORDS = {"person": "web:local", "chat": "chat-4711", "topic": "topic-4711", "shape": "chatgpt"}
ASKED = {"person": "web:local", "conversation": "web:chat-4711"}


@pytest_asyncio.fixture
async def parley(tmp_path: Path) -> AsyncIterator[Parley]:
    async with build_parley(read_settings(SETTINGS, "config.yaml", {}, tmp_path)) as built:
        yield built


@pytest_asyncio.fixture
async def http(parley: Parley) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(parley.server.app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8321", headers=bearer(TOKEN)
    ) as client:
        yield client


async def test_each_route_stands_in_the_document(parley: Parley) -> None:
    served = set[tuple[str, str]]()
    for route in parley.server.routes:
        assert isinstance(route, Route | Mount), route
        if route.path not in OF_THE_PAGE:
            methods = (route.methods or {"GET"}) if isinstance(route, Route) else {"GET"}
            path = route.path.replace(":int}", "}")
            served |= {(method, path) for method in methods - {"HEAD"}}
    named = {(each.method, each.path) for each in EVERY}
    assert served == named, "describe each in parley/app/openapi/operations.py, or chat_operations.py"


def test_each_parameter_is_explained_and_each_operation_has_a_name_of_its_own() -> None:
    document: Mapping[str, Any] = build_document()
    names = [each["operationId"] for methods in document["paths"].values() for each in methods.values()]
    assert len(set(names)) == len(EVERY)
    assert {name for each in EVERY for name in each.query} <= set(PARAMETERS)
    assert not {name.lower() for name in OPERATIONS} & {
        name.lower() for name in document["components"]["schemas"]
    }


def filled(each: ApiOperation) -> str:
    return each.path.format(**WORDS, message="message-4711", file="file-4711", fact="none", item=1)


TYPED = [
    each
    for each in EVERY
    if each.method == "GET" and not isinstance(each.gives, str) and "{item}" not in each.path
]


@pytest.mark.parametrize("each", TYPED, ids=lambda each: each.path)
async def test_what_is_read_has_the_type_that_it_is_said_to_have(
    http: httpx.AsyncClient, each: ApiOperation
) -> None:
    query = {name: value for name, value in ASKED.items() if name in each.query}
    if each.gives is ChatConversation:  # there is none before somebody makes one
        await http.put(filled(each), json={})
    got = await http.get(filled(each), params=query)
    assert got.status_code == each.status, got.text
    TypeAdapter[Any](each.gives).validate_json(got.content, extra="forbid")


WRITTEN: list[tuple[str, str, object]] = [
    ("PUT", "/api/chat/conversations/{chat}", {"title": "Lunch"}),
    ("PUT", "/api/chat/conversations/{chat}/topics/{topic}", {"title": "Soup"}),
    ("POST", "/api/chat/conversations/{chat}/stop", {"id": "stop-message-1"}),
    ("DELETE", "/api/chat/conversations/{chat}", None),
    ("POST", "/api/memory/facts", {"content": "Prefers tea"}),
    ("PUT", "/api/memory/switch", {"on": True}),
    ("POST", "/api/memory/reload", None),
    ("DELETE", "/api/memory", None),
    ("POST", "/api/person/erase", {"person": "web:local", "accounts": ["web:local"]}),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITTEN, ids=lambda value: str(value)[:60])
async def test_what_is_written_is_answered_as_it_is_said(
    http: httpx.AsyncClient, method: str, path: str, body: object
) -> None:
    (each,) = [one for one in EVERY if (one.method, one.path) == (method, path)]
    got = await http.request(method, filled(each), json=body)
    assert got.status_code in {each.status, *_refusals(each)}, got.text
    if got.status_code == each.status and each.gives is not None:
        TypeAdapter[Any](each.gives).validate_json(got.content, extra="forbid")


def _refusals(each: ApiOperation) -> set[int]:
    """Nobody listens on the page of a Parley that was built and does not run."""
    return {503} if each.path.endswith("/stop") else set()


@pytest.mark.parametrize(
    ("path", "status"), [("/api/letters/4711", 404), ("/api/memory/facts/none", 415), ("/api/pairing", 415)]
)
async def test_refusals_have_one_shape(http: httpx.AsyncClient, path: str, status: int) -> None:
    method = {404: "GET", 415: "POST"}[status] if "facts" not in path else "PATCH"
    got = await http.request(method, path)
    assert got.status_code == status
    document: Mapping[str, Any] = build_document()
    assert set(got.json()) == set(document["components"]["schemas"]["ErrorAnswer"]["properties"])


async def test_it_is_served_to_whoever_has_the_token(http: httpx.AsyncClient) -> None:
    assert (await http.get(PATH)).json() == build_document()
    assert (await http.get(PATH, headers={"authorization": "Bearer wrong-token-here"})).status_code == 401


@pytest.mark.parametrize("path", FILES, ids=str)
def test_the_documents_have_it_as_it_is(path: Path) -> None:
    assert path.read_text("utf-8") == render_files()[path], "call python -m tests.docs.api_page"
