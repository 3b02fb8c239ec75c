"""What a run is told about a person: by the embedded server, with real graphs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

import httpx
import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph_sdk.client import LangGraphClient

from parley.agent.agent import LangGraphAgent
from parley.agent.runs.memory_injection import MemoryInjection
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.types import RunEnded, RunRequest, RunStarted, SessionSettings
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions

THREAD = "00000000-0000-4000-8000-00000000000{}"
MESSAGE = "00000000-0000-4000-9000-00000000000{}"
TEA, COFFEE = "<memory>\nlikes tea\n</memory>", "<memory>\nlikes coffee\n</memory>"


@dataclass
class Known:
    memory: str = ""


class KnownDict(TypedDict, total=False):
    """Pydantic cannot describe it before Python 3.12."""

    memory: str


async def _repeats(state: MessagesState) -> dict[str, Any]:
    """Says all that it sees but for its own words, in order."""
    return {
        "messages": [
            ("ai", " | ".join(f"{m.type}:{_text(m.content)}" for m in state["messages"] if m.type != "ai"))
        ]
    }


async def _reads(state: MessagesState, runtime: Runtime[Known]) -> dict[str, Any]:
    return {"messages": [("ai", f"I know: {runtime.context.memory if runtime.context else ''}")]}


async def _reads_dict(state: MessagesState, runtime: Runtime[KnownDict]) -> dict[str, Any]:
    return {"messages": [("ai", f"I know: {dict(runtime.context or {}).get('memory')}")]}


async def _trusts_text(state: MessagesState) -> dict[str, Any]:
    return {"messages": [("ai", "You asked: " + cast("str", state["messages"][-1].content))]}


def _text(content: str | list[Any]) -> str:
    return content if isinstance(content, str) else "+".join(block["text"] for block in content)


def _graph(node: Callable[..., Any], context: type | None = None) -> StateGraph[Any]:
    graph = StateGraph(MessagesState, context_schema=context)
    graph.add_node("talk", node)
    graph.add_edge(START, "talk")
    return graph


@pytest.fixture
async def server(tmp_path: Path):
    graphs = {
        "repeats": _graph(_repeats),
        "reads": _graph(_reads, Known),
        "reads_dict": _graph(_reads_dict, KnownDict),
        "trusts_text": _graph(_trusts_text),
    }
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
    request = request_of(number, text, assistant, memory, reminded)
    ends = [event async for event in agent.run(request) if isinstance(event, RunEnded)]
    return ends[-1].text


def _checkpoint_metadata(folder: Path) -> list[bytes]:
    with closing(sqlite3.connect(folder / "agent.sqlite")) as database:
        rows = database.execute("SELECT metadata FROM checkpoints").fetchall()
    assert rows
    return [bytes(row[0]) for row in rows]


def request_of(
    number: int, text: str, assistant: str, memory: str = "", reminded: bool = False
) -> RunRequest:
    return RunRequest(
        turn_id=f"turn-{number}",
        message_id=MESSAGE.format(number),
        thread=THREAD.format(1),
        text=text,
        person=User("test", "u1"),
        session=SessionSettings(assistant),
        memory=memory,
        reminded=reminded,
    )


def agent_on(transport: StreamingASGITransport, tmp_path: Path, way: MemoryInjection) -> LangGraphAgent:
    return LangGraphAgent(
        AgentEndpoint("http://embedded", "", {}), files=tmp_path, injection=way, transport=transport
    )


@pytest.mark.parametrize(
    ("way", "role"), [(MemoryInjection.MESSAGE, "human"), (MemoryInjection.SYSTEM, "system")]
)
async def test_memory_is_above_the_newest_message_only(server, tmp_path, way, role):
    async with agent_on(server, tmp_path, way) as agent:
        assert await say(agent, 1, "one", memory=TEA) == f"{role}:{TEA} | human:one"
        second = await say(agent, 2, "two", memory=COFFEE, reminded=True)
        assert second == f"human:one | {role}:{COFFEE} | human:two"
        assert await say(agent, 3, "three", reminded=True) == "human:one | human:two | human:three"


@pytest.mark.parametrize("assistant", ["reads", "reads_dict"])
async def test_an_agent_that_declares_memory_gets_it_as_context(server, tmp_path, assistant):
    async with agent_on(server, tmp_path, MemoryInjection.AUTO) as agent:
        assert await say(agent, 1, "one", assistant, memory=TEA) == f"I know: {TEA}"
        assert await say(agent, 2, "two", "repeats", memory=TEA) == "human:one | human:two"


@pytest.mark.parametrize("way", list(MemoryInjection))
async def test_words_are_text_whatever_is_remembered(server, tmp_path, way):
    async with agent_on(server, tmp_path, way) as agent:
        assert await say(agent, 1, "one", "trusts_text", memory=TEA) == "You asked: one"


async def test_what_an_earlier_version_left_in_a_thread_is_cleaned(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.AUTO) as agent:
        await say(agent, 1, "one")
        async with httpx.AsyncClient(transport=server, base_url="http://embedded") as http:
            content = [{"type": "text", "text": TEA}, {"type": "text", "text": "one"}]
            old = {"type": "human", "id": MESSAGE.format(1), "content": content}
            threads = LangGraphClient(http).threads
            await threads.update_state(THREAD.format(1), {"messages": [old]}, as_node="talk")
        assert await say(agent, 2, "two", reminded=True) == "human:one | human:two"


@pytest.mark.parametrize("way", [MemoryInjection.AUTO, MemoryInjection.MESSAGE])
async def test_the_built_in_agent_is_told_and_its_thread_keeps_nothing_of_it(tmp_path, way):
    async with embedded_server(EmbeddedOptions(tmp_path / "agent.sqlite", word_delay=0)) as app:
        transport = StreamingASGITransport(app)
        async with agent_on(transport, tmp_path, way) as agent:
            about = "What do you know about me?"
            assert "likes tea" in await say(agent, 1, about, "agent", memory=TEA)
            told = await say(agent, 2, about, "agent", memory=COFFEE, reminded=way.role != "")
            assert "likes coffee" in told
            assert "likes tea" not in told
            assert "told nothing" in await say(agent, 3, about, "agent", reminded=way.role != "")
            assert TEA not in await agent.copy(THREAD.format(1))
    if way is MemoryInjection.AUTO:
        assert not any(b"likes tea" in metadata for metadata in _checkpoint_metadata(tmp_path))


@pytest.mark.parametrize(
    ("way", "reminded"), [(MemoryInjection.AUTO, False), (MemoryInjection.MESSAGE, True)]
)
async def test_only_a_message_is_left_to_be_cleaned(server, tmp_path, way, reminded):
    async with agent_on(server, tmp_path, way) as agent:
        begun = [
            event
            async for event in agent.run(request_of(1, "one", "reads", TEA))
            if isinstance(event, RunStarted)
        ]
        assert [event.reminded for event in begun] == [reminded]


async def test_off_tells_the_agent_nothing(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.OFF) as agent:
        assert await say(agent, 1, "one", memory=TEA) == "human:one"


async def test_an_unknown_thread_is_no_obstacle(server, tmp_path):
    async with agent_on(server, tmp_path, MemoryInjection.MESSAGE) as agent:
        assert await say(agent, 1, "one", memory=TEA, reminded=True) == f"human:{TEA} | human:one"
