"""An agent that calls Parley's memory tools while its run goes on: over MCP, with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

from parley.console.api.mcp import MCP_PATH, McpEndpoint
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from tests.contract.driver import Person, Place
from tests.contract.harness.scene import Scene
from tests.kit.doubles.core import ScriptedAgent


class ToolAgent:
    """Calls in each run the tool that the promise names; what it came to is the tool's answer or refusal."""

    def __init__(self, scene: Scene, url: str) -> None:
        self._scene = scene
        self._url = url
        self._tool: tuple[str, dict[str, str]] = ("", {})
        self._found: list[Any] = []
        self._turns: Counter[str] = Counter()

    async def call(
        self, place: Place, said: str, tool: str, by: Person | None = None, **arguments: str
    ) -> Any:  # noqa: ANN401 - JSON
        """Say something there, let the agent call the tool, and return what it came to."""
        self._tool, key, before = (tool, arguments), place.conversation.key, len(self._found)
        self._turns[key] += 1
        await self._scene.driver.say(place, said, by)
        await self._scene.until_done(place, self._turns[key])
        assert len(self._found) == before + 1, "the agent had no turn"
        found = self._found[-1]
        if isinstance(found, Exception):
            raise found
        return found

    async def __call__(self, agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        try:
            self._found.append(await self._use(str(request.tools.get("token", ""))))
        except Exception as error:  # noqa: BLE001 - the promise looks at it
            self._found.append(error)
        yield RunEnded(Outcome.ANSWERED, f"I used {self._tool[0]}.")

    async def _use(self, token: str) -> Any:  # noqa: ANN401 - JSON
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx.AsyncClient(headers=headers, trust_env=False) as client,
            streamable_http_client(self._url, http_client=client) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            found = await session.call_tool(*self._tool)
            text = found.content[0].text  # type: ignore[union-attr]
            return text if found.isError else json.loads(text)


@asynccontextmanager
async def tool_agent(scene: Scene) -> AsyncIterator[ToolAgent]:
    """Let such an agent answer in the scene, on the MCP server of its process."""
    endpoint = McpEndpoint(scene.process.tools)
    app = Starlette(routes=[Route(MCP_PATH, endpoint)])
    listener = uvicorn.Config(app, port=0, log_level="error").bind_socket()
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    tasks = [asyncio.create_task(server.serve(sockets=[listener])), asyncio.create_task(endpoint.run())]
    agent = ToolAgent(scene, f"http://127.0.0.1:{listener.getsockname()[1]}{MCP_PATH}")
    scene.agent.script = agent
    try:
        yield agent
    finally:
        server.should_exit = True
        await tasks[0]
        tasks[1].cancel()
        await asyncio.gather(tasks[1], return_exceptions=True)
