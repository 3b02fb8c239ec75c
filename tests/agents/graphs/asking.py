"""Graphs that ask people."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Protocol, TypedDict

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt

from tests.agents.graphs.models import Scripted, calls, one


class _Answers(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    answers: Annotated[list[str], operator.add]


class _Asker(Protocol):
    """A node that asks."""

    async def __call__(self, state: _Answers) -> dict[str, Any]: ...


def _asker(name: str, question: object) -> _Asker:
    async def ask(state: _Answers) -> dict[str, Any]:
        return {"answers": [f"{name}={interrupt(question)!r}"]}

    return ask


async def _report(state: _Answers) -> dict[str, Any]:
    return {"messages": [AIMessage("got " + " ".join(sorted(state["answers"])))]}


parallel = (
    StateGraph(_Answers)
    .add_node("budget", _asker("budget", {"question": "Budget?", "options": ["low", "high"]}))
    .add_node("city", _asker("city", "Which city?"))
    .add_node("report", _report)
    .add_edge(START, "budget")
    .add_edge(START, "city")
    .add_edge(["budget", "city"], "report")
    .compile()
)


async def _in_order(state: MessagesState) -> dict[str, Any]:
    name = interrupt("Your name?")
    age = interrupt(f"And your age, {name}?")
    while not str(age).isdecimal():
        age = interrupt(f"{age} is no number. Your age?")
    return {"messages": [AIMessage(f"{name} is {age}")]}


async def _labelled(state: MessagesState) -> dict[str, Any]:
    options = [{"label": "Yes, sure", "value": True}, {"label": "Never", "value": False}]
    return {"messages": [AIMessage(f"chosen {interrupt({'question': 'Sure?', 'options': options})!r}")]}


async def _inner(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"the inner one heard {interrupt('From inside?')}")]}


sequential = one(_in_order)
labelled = one(_labelled)
in_subgraph = one(one(_inner, "inner"), "outer")


@tool
def ask_person(question: str) -> str:
    """Ask the person."""
    return str(interrupt(question))


asking_tool = create_agent(calls("ask_person", "You said {}.", question="Red or blue?"), tools=[ask_person])


async def _prepare(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("Prepared.")]}


async def _publish(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("Published.")]}


breakpoint_before = (
    StateGraph(MessagesState)
    .add_node("prepare", _prepare)
    .add_node("publish", _publish)
    .add_edge(START, "prepare")
    .add_edge("prepare", "publish")
    .compile(interrupt_before=["publish"])
)


@tool
def send_email(to: str) -> str:
    """Send an e-mail."""
    return f"sent to {to}"


@tool
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


def _both(messages: list[BaseMessage]) -> AIMessage:
    results = [each.text for each in messages if isinstance(each, ToolMessage)]
    if results:
        return AIMessage("Results: " + "; ".join(results))
    first = {"name": "send_email", "args": {"to": "ada@example.org"}, "id": "c1"}
    second = {"name": "delete_file", "args": {"path": "/tmp/old"}, "id": "c2"}
    return AIMessage("I will do both.", tool_calls=[first, second])


approvals = create_agent(
    Scripted(script=_both),
    tools=[send_email, delete_file],
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_email": True, "delete_file": True})],
)
