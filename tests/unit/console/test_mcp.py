"""The MCP server of memory tools, as clients of others use it: the SDK's own, and LangChain's adapters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from parley.console.api.mcp import MCP_PATH, McpEndpoint
from parley.core.ports.memory.tools import TOOL_NAMES
from tests.unit.memory.tools.scene import BOB, Scene, scene

pytest.importorskip("mcp")
NAMES = list(TOOL_NAMES)


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Scene, str]]:
    """A core, and the address of its MCP server."""
    async with scene(folder) as here:
        endpoint = McpEndpoint(here.tools)
        app = Starlette(routes=[Route(MCP_PATH, endpoint)])
        listener = uvicorn.Config(app, port=0, log_level="error").bind_socket()
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        tasks = [asyncio.create_task(server.serve(sockets=[listener])), asyncio.create_task(endpoint.run())]
        try:
            yield here, f"http://127.0.0.1:{listener.getsockname()[1]}{MCP_PATH}"
        finally:
            server.should_exit = True
            await tasks[0]
            tasks[1].cancel()
            await asyncio.gather(tasks[1], return_exceptions=True)


async def test_the_sdks_client_uses_every_tool_in_one_run(tmp_path: Path) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with served(tmp_path) as (here, url):

        async def use(token: str) -> object:
            headers = {"authorization": f"Bearer {token}"}
            async with (
                httpx.AsyncClient(headers=headers, trust_env=False) as client,
                streamable_http_client(url, http_client=client) as (read, write, _),
                ClientSession(read, write) as session,
            ):
                await session.initialize()
                names = [tool.name for tool in (await session.list_tools()).tools]

                async def call(tool: str, **arguments: str) -> Any:  # noqa: ANN401 - JSON
                    found = await session.call_tool(tool, arguments)
                    text = found.content[0].text  # type: ignore[union-attr]
                    return text if found.isError else json.loads(text)

                saved = await call("memory_add", content="Likes green tea")
                fact = saved["saved"]["id"]
                return (
                    names,
                    await call("memory_search", query="tea"),
                    await call("memory_update", fact_id=fact, content="Likes green tea and mint"),
                    await call("memory_delete", fact_id=fact),
                    await call("conversation_search", query="umbrella"),
                    await call("memory_search", query="tea", person="test:bob"),
                )

        await here.call("memory_search", "I lost my umbrella", query="x")
        found: Any = await here.turn(use, "Remember: I like green tea, and mint")
        if isinstance(found, Exception):
            raise found
        names, facts, corrected, asked, turns, refused = found
        assert names == NAMES
        assert [fact["content"] for fact in facts["facts"]] == ["Likes green tea"]
        assert corrected["corrected"]["content"] == "Likes green tea and mint"
        assert "Nothing is forgotten yet" in asked["note"]
        assert [turn["said"] for turn in turns["turns"]] == ["I lost my umbrella"]
        assert "follows from the run" in refused
        assert "Shall I forget “Likes green tea and mint”?" in here.answer


async def test_langchains_adapters_give_an_agent_the_tools(tmp_path: Path) -> None:
    adapters = pytest.importorskip("langchain_mcp_adapters.client")
    async with served(tmp_path) as (here, url):

        async def use(token: str) -> object:
            client = adapters.MultiServerMCPClient(
                {
                    "parley": {
                        "transport": "streamable_http",
                        "url": url,
                        "headers": {"Authorization": f"Bearer {token}"},
                    }
                }
            )
            tools = {tool.name: tool for tool in await client.get_tools()}
            return sorted(tools), await tools["memory_search"].ainvoke({"query": "tea"})

        await here.memory.add("test:ann", "Likes tea")
        await here.memory.add("test:bob", "Hates tea")
        for sender, content in (({}, "Likes tea"), ({"sender": BOB}, "Hates tea")):
            found: Any = await here.turn(use, "hello", **sender)
            if isinstance(found, Exception):
                raise found
            names, facts = found
            assert names == sorted(NAMES)
            assert content in str(facts)
            assert str(facts).count("tea") == 1


async def test_nobody_is_let_in_without_the_token_of_a_run_under_way(tmp_path: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with served(tmp_path) as (here, url), httpx.AsyncClient(trust_env=False) as client:
        await here.call("memory_search", "hi", query="x")
        old = here.tokens[-1]
        for header in ("", "Bearer", "Bearer x", f"Bearer {old}", f"Basic {old}", "Bearer " + "a." * 3000):
            answer = await client.post(url, json=body, headers={"authorization": header})
            assert answer.status_code == 401
            assert "tool" not in answer.text

        async def too_much(token: str) -> object:
            answer = await client.post(
                url, content=b"x" * 1_000_000, headers={"authorization": f"Bearer {token}"}
            )
            return answer.status_code

        found = await here.turn(too_much, "hello")
        assert found in (400, 413)
