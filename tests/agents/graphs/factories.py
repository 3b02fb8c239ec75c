"""Graphs that are made by functions. Servers look at the types of parameters, so these are no strings."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool
from langgraph.graph import MessagesState
from langgraph_sdk.runtime import ServerRuntime

from tests.agents.graphs.models import Graph, calls, one

_TOOL_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    found = ["add"] if asked["method"] == "list" else asked["a"] + asked["b"]
    print(json.dumps(found), flush=True)
"""


def _saying(text: str) -> Graph:
    async def say(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(text)]}

    return one(say)


async def of_config(config: RunnableConfig) -> Graph:
    """Make a graph for a run's config."""
    await asyncio.sleep(0)
    return _saying(f"made for a {type(config).__name__}")


@asynccontextmanager
async def of_context(config: RunnableConfig) -> AsyncIterator[Graph]:
    """Make a graph that has something open while it runs."""
    opened = ["connection"]
    yield _saying(f"open: {', '.join(opened)}")
    opened.clear()


async def of_runtime(runtime: ServerRuntime[Any]) -> Graph:
    """Make a graph for what the server knows of the request."""
    return _saying(f"made for {runtime.access_context.split('.')[0]}")


@asynccontextmanager
async def of_tool_server() -> AsyncIterator[Graph]:
    """Make an agent whose tools are those of a program that is asked over standard input, as MCP does it."""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _TOOL_SERVER,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )

    async def ask(**question: object) -> Any:  # noqa: ANN401 - JSON
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(json.dumps(question).encode() + b"\n")
        return json.loads(await program.stdout.readline())

    async def add(a: int, b: int) -> str:
        """Add two numbers."""
        return str(await ask(method="call", a=a, b=b))

    try:
        (name,) = await ask(method="list")
        tool = StructuredTool.from_function(coroutine=add, name=name, description="Add two numbers.")
        yield create_agent(calls("add", "The sum is {}.", a=2, b=3), tools=[tool])
    finally:
        program.kill()
        await program.wait()
