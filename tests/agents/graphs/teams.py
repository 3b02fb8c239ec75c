"""Several agents together, in the shapes that langgraph-supervisor and langgraph-swarm leave in the state."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from tests.agents.graphs.models import Graph, Scripted, says

_HANDED_BACK = {"__is_handoff_back": True}


async def _supervise(state: MessagesState) -> Command[Any]:
    if isinstance(state["messages"][-1], ToolMessage):
        said = await says("The expert says 42.").ainvoke(state["messages"])
        return Command(goto=END, update={"messages": [said]})
    call = {"name": "transfer_to_expert", "args": {}, "id": "handover"}
    model = Scripted(script=lambda _: AIMessage("", tool_calls=[call], name="supervisor"))
    given = ToolMessage("Successfully transferred to expert", tool_call_id="handover", name=call["name"])
    return Command(goto="expert", update={"messages": [await model.ainvoke(state["messages"]), given]})


async def _expert(state: MessagesState) -> dict[str, Any]:
    expert = create_agent(says("It is 42."), tools=[], name="expert")
    worked = await expert.ainvoke({"messages": [*state["messages"][:1]]})
    call = {"name": "transfer_back_to_supervisor", "args": {}, "id": "back"}
    back = AIMessage(
        "Transferring back to supervisor",
        tool_calls=[call],
        name="expert",
        response_metadata=_HANDED_BACK,
    )
    given = ToolMessage(
        "Successfully transferred back to supervisor",
        tool_call_id="back",
        name=call["name"],
        response_metadata=_HANDED_BACK,
    )
    return {"messages": [worked["messages"][-1], back, given]}


supervisor = (
    StateGraph(MessagesState)
    .add_node("supervisor", _supervise, destinations=("expert", END))
    .add_node("expert", _expert)
    .add_edge(START, "supervisor")
    .add_edge("expert", "supervisor")
    .compile()
)


class _Active(MessagesState, total=False):
    active_agent: str


def _member(name: str, other: str) -> Graph:
    async def talk(state: _Active) -> Any:  # noqa: ANN401 - an update or a command
        if "hand over" not in state["messages"][-1].text:
            return {"messages": [await says(f"{name} here.").ainvoke(state["messages"])]}
        call = {"name": f"transfer_to_{other}", "args": {}, "id": f"to_{other}"}
        said = AIMessage("", tool_calls=[call], name=name)
        given = ToolMessage(
            f"Successfully transferred to {other}", tool_call_id=call["id"], name=call["name"]
        )
        update = {"messages": [*state["messages"], said, given], "active_agent": other}
        return Command(goto=other, graph=Command.PARENT, update=update)

    return StateGraph(_Active).add_node("talk", talk).add_edge(START, "talk").compile()


swarm = (
    StateGraph(_Active)
    .add_node("alice", _member("alice", "bob"), destinations=("bob",))
    .add_node("bob", _member("bob", "alice"), destinations=("alice",))
    .add_conditional_edges(START, lambda state: state.get("active_agent", "alice"), ["alice", "bob"])
    .compile()
)
