"""Two people in one group are two for a graph: on the embedded server, with real graphs and a real store."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from pydantic import BaseModel, ConfigDict

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import RunIdentity, User
from parley.core.model.types import RunEnded, RunRequest, SessionSettings
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions

ANN = RunIdentity(
    "slack:U1", "slack:U1", "slack", "slack", "C1", "C1:1.1", name="Ann", private=False, chat_kind="channel"
)
BOB = replace(ANN, person="dingtalk:b.ob", account="slack:U2", name="Bob", message_id="C1:1.2")


@dataclass
class Strict:
    """It has a field that must be given, and takes no other."""

    user_id: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    parley: dict[str, Any]


def _answer(value: object) -> dict[str, Any]:
    return {"messages": [("ai", json.dumps(value, sort_keys=True))]}


async def _who(state: MessagesState, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
    configurable, metadata = config["configurable"], config["metadata"]
    places = (configurable, metadata, runtime.context or {})
    return _answer(
        {
            "people": [place.get("parley", {}).get("person") for place in places],
            "user_ids": [configurable.get("user_id"), dict(runtime.context or {}).get("user_id")],
            "name": state["messages"][-1].name,
        }
    )


async def _strict(_: MessagesState, runtime: Runtime[Strict], config: RunnableConfig) -> dict[str, Any]:
    return _answer([runtime.context.user_id, config["configurable"]["parley"]["person"]])


async def _closed(_: MessagesState, runtime: Runtime[Closed], config: RunnableConfig) -> dict[str, Any]:
    return _answer([runtime.context.parley["person"], config["configurable"]["user_id"]])


async def _notes(state: MessagesState, config: RunnableConfig, store: BaseStore) -> dict[str, Any]:
    """Keeps every message in the writer's own namespace, and tells what is there."""
    place = ("notes", config["configurable"]["user_id"])
    await store.aput(place, str(len(state["messages"])), {"text": state["messages"][-1].text})
    return _answer(sorted(item.value["text"] for item in await store.asearch(place)))


def _graph(node: Callable[..., Any], context: type | None = None) -> StateGraph[Any]:
    return StateGraph(MessagesState, context_schema=context).add_node("talk", node).add_edge(START, "talk")


@pytest.fixture(params=[True, False], ids=["known", "learned"])
async def agent(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[LangGraphAgent]:
    """It is known, or learned from a refusal, that the server takes no context beside configurable."""
    graphs = {
        "who": _graph(_who),
        "strict": _graph(_strict, Strict),
        "closed": _graph(_closed, Closed),
        "notes": _graph(_notes),
    }
    async with embedded_server(EmbeddedOptions(tmp_path / "agent.sqlite", graphs=graphs)) as app:
        endpoint = AgentEndpoint("http://embedded", one_place=request.param)
        transport = StreamingASGITransport(app)
        async with LangGraphAgent(endpoint, files=tmp_path, transport=transport) as agent:
            yield agent


async def say(
    agent: LangGraphAgent,
    number: int,
    assistant: str,
    identity: RunIdentity,
    session: SessionSettings | None = None,
) -> object:
    request = RunRequest(
        turn_id=f"turn-{number}",
        message_id=f"00000000-0000-4000-9000-00000000000{number}",
        thread="00000000-0000-4000-8000-000000000001",
        text=f"{identity.name} {number}",
        person=User("slack", identity.account),
        session=session or SessionSettings(assistant),
        identity=identity,
        name=f"{identity.name}-1",
    )
    (ended,) = [event async for event in agent.run(request) if isinstance(event, RunEnded)]
    assert not ended.error, ended.error
    return json.loads(ended.text)


async def test_every_place_says_who_speaks(agent: LangGraphAgent) -> None:
    said = await say(agent, 1, "who", ANN)
    assert said == {"people": ["slack:U1"] * 3, "user_ids": ["slack:U1"] * 2, "name": "Ann-1"}


async def test_a_context_gets_what_it_has_fields_for(agent: LangGraphAgent) -> None:
    assert await say(agent, 1, "strict", ANN) == ["slack:U1", "slack:U1"]
    assert await say(agent, 2, "closed", BOB) == ["dingtalk:b.ob", "dingtalk:b%2Eob"]


async def test_the_store_keeps_people_of_one_group_apart(agent: LangGraphAgent) -> None:
    assert await say(agent, 1, "notes", ANN) == ["Ann 1"]
    assert await say(agent, 2, "notes", BOB) == ["Bob 2"]
    assert await say(agent, 3, "notes", ANN) == ["Ann 1", "Ann 3"]


async def test_an_operators_user_id_is_for_all(agent: LangGraphAgent) -> None:
    session = SessionSettings("notes", {"configurable": {"user_id": "team"}})
    await say(agent, 1, "notes", ANN, session=session)
    assert await say(agent, 2, "notes", BOB, session=session) == ["Ann 1", "Bob 2"]
