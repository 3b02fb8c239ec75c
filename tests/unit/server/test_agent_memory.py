"""What a run is told about a person: by the embedded server, with real graphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from parley.agent.agent import LangGraphAgent
from parley.agent.runs.memory_injection import MemoryInjection
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.types import RunEnded, RunRequest, SessionSettings
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions

THREAD = "00000000-0000-4000-8000-00000000000{}"
TEA, COFFEE = "<memory>\nlikes tea\n</memory>", "<memory>\nlikes coffee\n</memory>"


@dataclass
class Known:
    memory: str = ""


async def _repeats(state: MessagesState) -> dict[str, Any]:
    """Says all that it sees: people's messages, in order."""
    return {
        "messages": [("ai", " | ".join(_text(m.content) for m in state["messages"] if m.type == "human"))]
    }


async def _reads(state: MessagesState, runtime: Runtime[Known]) -> dict[str, Any]:
    return {"messages": [("ai", f"I know: {runtime.context.memory if runtime.context else ''}")]}


def _text(content: str | list[Any]) -> str:
    return content if isinstance(content, str) else "+".join(block["text"] for block in content)


def _graph(node: Callable[..., Any], context: type | None = None) -> StateGraph[Any]:
    graph = StateGraph(MessagesState, context_schema=context)
    graph.add_node("talk", node)
    graph.add_edge(START, "talk")
    return graph


@pytest.fixture
async def server(tmp_path: Path):
    graphs = {"repeats": _graph(_repeats), "reads": _graph(_reads, Known)}
    async with embedded_server(EmbeddedOptions(tmp_path / "agent.sqlite", graphs=graphs)) as app:
        yield StreamingASGITransport(app)


async def say(
    agent: LangGraphAgent,
    number: int,
    text: str,
    assistant: str = "repeats",
    memory: str = "",
    reminded: bool = False,
) -> str:
    request = RunRequest(
        turn_id=f"turn-{number}",
        message_id=f"00000000-0000-4000-9000-00000000000{number}",
        thread=THREAD.format(1),
        text=text,
        person=User("test", "u1"),
        session=SessionSettings(assistant),
        memory=memory,
        reminded=reminded,
    )
    ends = [event async for event in agent.run(request) if isinstance(event, RunEnded)]
    return ends[-1].text


def agent_on(transport: StreamingASGITransport, tmp_path: Path, way: MemoryInjection) -> LangGraphAgent:
    return LangGraphAgent(
        AgentEndpoint("http://embedded", "", {}), files=tmp_path, injection=way, transport=transport
    )


async def test_memory_is_in_the_newest_message_only(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.MESSAGE) as agent:
        assert await say(agent, 1, "one", memory=TEA) == f"{TEA}+one"
        assert await say(agent, 2, "two", memory=COFFEE, reminded=True) == f"one | {COFFEE}+two"
        assert await say(agent, 3, "three", reminded=True) == "one | two | three"


async def test_an_agent_that_declares_memory_gets_it_as_context(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.AUTO) as agent:
        assert await say(agent, 1, "one", "reads", memory=TEA) == f"I know: {TEA}"
        assert await say(agent, 2, "two", "repeats", memory=TEA) == f"one | {TEA}+two"


async def test_off_tells_the_agent_nothing(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.OFF) as agent:
        assert await say(agent, 1, "one", memory=TEA) == "one"


async def test_an_unknown_thread_is_no_obstacle(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.MESSAGE) as agent:
        assert await say(agent, 1, "one", memory=TEA, reminded=True) == f"{TEA}+one"
