"""Memory tools of an agent server elsewhere, against the MCP server of a Parley."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.app.composition.memory_tools.remote import RemoteMemoryTools
from parley.core.model.types import Json
from parley.core.ports.memory.tools import Consent, ToolRefused
from tests.unit.console.test_mcp import served

pytest.importorskip("mcp")


async def test_every_tool_is_used_over_http_and_consent_is_nothing_that_a_caller_can_say(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as (here, url):
        tools, tokens = RemoteMemoryTools(url), list[str]()

        async def use(token: str) -> object:
            tokens.append(token)
            saved = await tools.call(token, "memory_add", {"content": "Likes green tea"})
            fact = saved["saved"]
            assert isinstance(fact, Mapping)
            found = await tools.call(token, "memory_search", {"query": "tea"})
            fixed = await tools.call(
                token, "memory_update", {"fact_id": fact["id"], "content": "Likes green tea and mint"}
            )
            past = await tools.call(token, "conversation_search", {"query": "mint"})
            asked = await tools.call(token, "memory_delete", {"fact_id": fact["id"]}, consent=Consent.GIVEN)
            return found, fixed, past, asked

        results = await here.turn(use, "I like green tea and mint")
        assert isinstance(results, tuple)
        found, fixed, past, asked = results
        assert "Likes green tea" in str(found)
        assert "mint" in str(fixed["corrected"])
        assert past == {"turns": []}
        assert "Nothing is forgotten yet" in str(asked)
        assert len((await here.memory.overview("test:ann")).facts) == 1
        with pytest.raises(ToolRefused, match="under way"):  # the turn is over
            await tools.call(tokens[0], "memory_search", {"query": "tea"})
        for wrong in ("", "a\nb", "ключ", tokens[0][:-2]):
            with pytest.raises(ToolRefused, match="under way"):
                await tools.call(wrong, "memory_search", {"query": "tea"})


async def test_a_refusal_is_told_as_it_is(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        tools = RemoteMemoryTools(url)
        said = "The person did not say that"

        async def plant(token: str) -> object:
            return await tools.call(token, "memory_add", {"content": "Owns a yacht"})

        assert said in str(await here.turn(plant, "hello there"))


ANSWERS: tuple[tuple[int, object], ...] = (
    (200, "no JSON"),
    (200, []),
    (200, {"result": {"content": []}}),
    (200, {"result": {"content": [{"type": "text", "text": "[1]"}]}}),
    (200, {"result": {"content": [{"type": "text", "text": "{"}]}}),
    (200, {"result": {"content": [{"type": "text", "text": 5}]}}),
    (302, {}),
    (404, {}),
    (501, {"error": {"code": "no_mcp"}}),
    (200, {"result": {"content": [{"type": "text", "text": "x" * 1_100_000}]}}),
)


@pytest.mark.parametrize(("status", "body"), ANSWERS)
async def test_whatever_is_no_answer_is_a_memory_that_cannot_be_used(status: int, body: object) -> None:
    called: list[str] = []

    async def answer(request: Request) -> Response:
        called.append(str(request.url))
        return JSONResponse(body, status, {"location": "http://10.0.0.1/"})

    server = Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])
    tools = RemoteMemoryTools("http://parley:8765/mcp", httpx.ASGITransport(server))
    with pytest.raises(ToolRefused, match="cannot be used"):
        await tools.call("token", "memory_search", {"query": "tea"})
    assert called == ["http://parley:8765/mcp"]


async def test_a_parley_that_is_away_is_a_memory_that_cannot_be_used() -> None:
    nothing: dict[str, Json] = {"query": "tea"}
    for address in ("http://127.0.0.1:9/mcp", "not an address"):
        with pytest.raises(ToolRefused, match="cannot be used"):
            await RemoteMemoryTools(address).call("token", "memory_search", nothing)
