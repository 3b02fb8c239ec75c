"""What others said before a message, as real graphs of the embedded server see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from langgraph.graph import START, MessagesState, StateGraph

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.types import RunEnded, RunRequest, SessionSettings
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions

THREAD = "00000000-0000-4000-8000-000000000001"


async def _repeats(state: MessagesState) -> dict[str, Any]:
    seen = [f"{message.type}:{message.content}" for message in state["messages"] if message.type != "ai"]
    return {"messages": [("ai", " | ".join(seen))]}


async def _say(agent: LangGraphAgent, number: int, text: str, earlier: str = "", again: bool = False) -> str:
    request = RunRequest(
        turn_id=f"turn-{number}-{again}",
        message_id=f"00000000-0000-4000-9000-00000000000{number}",
        thread=THREAD,
        text=text,
        person=User("test", "ann", "Ann"),
        session=SessionSettings("repeats"),
        earlier=earlier,
        retried=again,
    )
    ended = [event async for event in agent.run(request)][-1]
    assert isinstance(ended, RunEnded)
    return ended.text


async def test_it_stands_above_the_persons_words_and_stays_in_the_thread(tmp_path: Path) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("talk", _repeats)
    graph.add_edge(START, "talk")
    endpoint = AgentEndpoint("http://embedded", "", {})
    options = EmbeddedOptions(tmp_path / "agent.sqlite", graphs={"repeats": graph})
    async with embedded_server(options) as app:
        transport: httpx.AsyncBaseTransport = StreamingASGITransport(app)
        async with LangGraphAgent(endpoint, files=tmp_path, transport=transport) as agent:
            assert await _say(agent, 1, "sum up", "[frame one]") == "human:[frame one] | human:sum up"
            assert await _say(agent, 2, "thanks") == "human:[frame one] | human:sum up | human:thanks"
            again = await _say(agent, 2, "thanks", "[frame two]", again=True)
            assert again == "human:[frame one] | human:sum up | human:[frame two] | human:thanks"
