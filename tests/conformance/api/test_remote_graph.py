"""LangGraph's `RemoteGraph`: a graph on a server, used as if it were here."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command, StreamMode
from langgraph_sdk.client import LangGraphClient

from tests.conformance.servers import Server
from tests.conformance.stream_helpers import human_input


@pytest.fixture
def config() -> RunnableConfig:
    return {"configurable": {"thread_id": str(uuid4())}}


def _remote(client: LangGraphClient, graph: str) -> RemoteGraph:
    return RemoteGraph(graph, client=client)


async def test_it_is_drawn_here_as_it_is_there(client: LangGraphClient) -> None:
    drawn = await _remote(client, "sub").aget_graph(xray=True)
    assert "researcher:inner" in drawn.nodes
    assert drawn.edges


async def test_it_asks_and_goes_on_and_its_past_is_there(
    client: LangGraphClient, config: RunnableConfig
) -> None:
    await client.threads.create(thread_id=config["configurable"]["thread_id"])
    remote = _remote(client, "ask")
    asked: Any = await remote.ainvoke(human_input("hi"), config)
    assert asked["__interrupt__"][0]["value"]
    state = await remote.aget_state(config)
    assert (state.next, len(state.tasks[0].interrupts)) == (("ask",), 1)
    answered: Any = await remote.ainvoke(Command(resume="yes"), config)
    assert "yes" in answered["messages"][-1]["content"]
    past = [each async for each in remote.aget_state_history(config, limit=10)]
    assert past[0].values == answered
    assert [each.next for each in past][-1] == ("__start__",)
    again = await remote.aget_state(past[1].config)
    assert again.next == past[1].next


async def test_its_state_can_be_changed(client: LangGraphClient, config: RunnableConfig) -> None:
    await client.threads.create(thread_id=config["configurable"]["thread_id"])
    remote = _remote(client, "echo")
    await remote.ainvoke(human_input("hi"), config)
    place = await remote.aupdate_state(config, human_input("by hand"), as_node="model")
    state = await remote.aget_state(place)
    assert state.values["messages"][-1]["content"] == "by hand"


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"])
async def test_it_streams_in_each_mode(client: LangGraphClient, server: Server, mode: StreamMode) -> None:
    parts = [each async for each in _remote(client, "echo").astream(human_input("hi"), stream_mode=mode)]
    assert bool(parts) or (mode == "checkpoints" and not server.can.streams_checkpoints)
    assert not parts or not isinstance(parts[0], tuple) or mode == "messages"


async def test_graphs_within_it_are_named(client: LangGraphClient) -> None:
    stream = _remote(client, "sub").astream(human_input("hi"), stream_mode="updates", subgraphs=True)
    places = [place async for place, _ in stream]
    assert {len(place) for place in places} == {0, 1}
    assert any(place[0].startswith("researcher:") for place in places if place)


async def test_it_is_a_node_of_a_graph_here(client: LangGraphClient) -> None:
    remote = _remote(client, "echo")
    local = StateGraph(MessagesState).add_node("there", remote).add_edge(START, "there").compile()
    said: Any = human_input("hi")
    state = await local.ainvoke(said)
    assert state["messages"][-1].content == "You said: hi"
