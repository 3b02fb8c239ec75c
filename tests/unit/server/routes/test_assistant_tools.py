"""The MCP SDK's own client uses assistants as tools."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.unit.server.test_app import HI


@asynccontextmanager
async def _connected(path: Path, key: str = "sesame") -> AsyncIterator[tuple[ClientSession, LangGraphClient]]:
    sources = {"echo": graphs.echo, "ask": graphs.ask, "broken": graphs.broken_factory}
    options = EmbeddedOptions(path / "agent.sqlite", sources, api_key="sesame")
    async with (
        embedded_server(options) as app,
        httpx.AsyncClient(
            transport=StreamingASGITransport(app),
            base_url="http://x",
            headers={"authorization": f"Bearer {key}"},
            timeout=patience(30),
        ) as http,
        streamable_http_client("http://x/mcp", http_client=http) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        yield session, LangGraphClient(http)


def _text(result: CallToolResult) -> str:
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


async def test_an_assistant_is_a_tool_that_answers(tmp_path: Path) -> None:
    async with _connected(tmp_path) as (session, client):
        await session.initialize()
        await client.assistants.create("echo", name="Legal desk (EU)", description="Knows the law.")
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {"echo", "ask", "broken", "Legal_desk_EU"}
        assert tools["Legal_desk_EU"].description == "Knows the law."
        assert "messages" in tools["echo"].inputSchema["properties"]
        result = await session.call_tool("Legal_desk_EU", HI)
        assert (_text(result), result.isError) == ("You said: hi", False)
        assert await client.threads.count() == 0


async def test_each_assistant_has_a_name_of_its_own_that_clients_take(tmp_path: Path) -> None:
    names = [
        "echo",
        "法务",
        "財務",
        "a" * 200,
        "a" * 199 + "b",
        "Legal (EU)",
        "Legal [EU]",
        "",
        "__",
        "é" * 80,
    ]
    async with _connected(tmp_path) as (session, client):
        await session.initialize()
        for name in names:
            await client.assistants.create("ask" if name == "echo" else "echo", name=name)
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert len(set(tools)) == len(tools) == len(names) + 3
        assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in tools)
        # What takes a graph's name does not take its place.
        assert _text(await session.call_tool("echo", HI)) == "You said: hi"
        for name in tools:
            assert "no tool" not in _text(await session.call_tool(name, HI))


@pytest.mark.parametrize(
    ("tool", "said"), [("ask", "Really?"), ("broken", "LookupError"), ("nobody", "no tool")]
)
async def test_what_cannot_be_answered_is_an_error(tmp_path: Path, tool: str, said: str) -> None:
    arguments: dict[str, Any] = HI
    async with _connected(tmp_path) as (session, _):
        await session.initialize()
        result = await session.call_tool(tool, arguments)
        assert result.isError
        assert said in _text(result)
