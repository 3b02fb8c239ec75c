"""An agent with DeerFlow's ways: it presents files, asks by ending its turn, and lists artifacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from tests.conformance.served.graphs import Graph, Speaker

REPORT = "/mnt/user-data/outputs/report.md"
QUESTION = "Which city do you mean?"


def _merged(old: Sequence[str], new: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*(old or ()), *(new or ())]))


class _Thread(MessagesState):
    artifacts: Annotated[list[str], _merged]


async def _model(state: _Thread) -> dict[str, Any]:
    words = state["messages"][-1].text
    if words == "report":
        call = {"name": "present_files", "args": {"filepaths": [REPORT]}, "id": "call_1"}
        return {"messages": [AIMessage("", tool_calls=[call])]}
    if words == "weather":
        call = {"name": "ask_clarification", "args": {"question": QUESTION}, "id": "call_2"}
        return {"messages": [AIMessage("", tool_calls=[call])]}
    if words == "loop":
        raise GraphRecursionError("Recursion limit of 100 reached without hitting a stop condition.")
    return {"messages": [await Speaker().ainvoke(state["messages"])]}


async def _tools(state: _Thread) -> Command[Literal["conclude", "__end__"]]:
    call = state["messages"][-1].tool_calls[0]  # type: ignore[union-attr]
    if call["name"] == "ask_clarification":
        asked = ToolMessage(call["args"]["question"], tool_call_id=call["id"], name=call["name"])
        return Command(update={"messages": [asked]}, goto="__end__")
    done = ToolMessage("Successfully presented files", tool_call_id=call["id"], name=call["name"])
    return Command(update={"messages": [done], "artifacts": call["args"]["filepaths"]}, goto="conclude")


async def _conclude(state: _Thread) -> dict[str, Any]:
    speaker = Speaker(words=["The report ", "is ready."], echoes=False)
    return {"messages": [await speaker.ainvoke(state["messages"])]}


def _next(state: _Thread) -> str:
    return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END


lead_agent: Graph = (
    StateGraph(_Thread)
    .add_node("model", _model)
    .add_node("tools", _tools)
    .add_node("conclude", _conclude)
    .add_edge(START, "model")
    .add_conditional_edges("model", _next, ["tools", END])
    .add_edge("conclude", END)
    .compile()
)
