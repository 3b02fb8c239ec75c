"""What is shown while a graph works, and what it takes back."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command, StreamWriter

from tests.agents.graphs.models import Scripted, calls, echo, one, says


@tool
async def search_web(query: str, runtime: ToolRuntime) -> str:
    """Search the web."""
    step = {"id": runtime.tool_call_id, "details": query}
    runtime.stream_writer({"step": step})
    found = {"url": "https://example.org/tariff", "title": "Tariff"}
    runtime.stream_writer({"step": step | {"output": "1 page", "sources": [found]}})
    return "It says 42."


says_what_it_does = create_agent(calls("search_web", "{}", query="tariffs"), tools=[search_web])

_WORDS = [f"w{number} " for number in range(40)]


async def _search(state: MessagesState, writer: StreamWriter) -> Command[Literal["tell"]]:
    writer({"progress": "Searching the archive"})
    await asyncio.sleep(0.2)
    return Command(goto="tell")


async def _tell(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await Scripted(script=echo, held=True).ainvoke(state["messages"])]}


progress = (
    StateGraph(MessagesState)
    .add_node("search", _search)
    .add_node("tell", _tell)
    .add_edge(START, "search")
    .compile()
)


async def _tokens(state: MessagesState, writer: StreamWriter) -> dict[str, Any]:
    for word in ("These ", "are ", "tokens."):
        writer({"token": word})
        await asyncio.sleep(0.1)
    return {"messages": [AIMessage("These are tokens.")]}


async def _strings(state: MessagesState, writer: StreamWriter) -> dict[str, Any]:
    writer("Reading the first page")
    await asyncio.sleep(0.2)
    return {"messages": [AIMessage("read")]}


async def _typed(state: MessagesState, writer: StreamWriter) -> dict[str, Any]:
    writer({"type": "progress", "message": "Half of it is done"})
    await asyncio.sleep(0.2)
    return {"messages": [AIMessage("done")]}


writes_tokens = one(_tokens)
writes_strings = one(_strings)
writes_types = one(_typed)


async def _slow(state: MessagesState) -> dict[str, Any]:
    model = Scripted(script=lambda _: AIMessage("".join(_WORDS).strip()), delay=0.02)
    return {"messages": [await model.ainvoke(state["messages"])]}


async def _endless(state: MessagesState) -> dict[str, Any]:
    model = Scripted(script=lambda _: AIMessage("more " * 600), delay=0.2)
    return {"messages": [await model.ainvoke(state["messages"])]}


async def _long(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("0123456789 " * 18_000 + "end")]}


slow = one(_slow)
endless = one(_endless)
long_text = one(_long)


async def _classify(state: MessagesState) -> dict[str, Any]:
    model = says("INTERNAL-CATEGORY billing or refunds or something else")
    await model.with_config(tags=["classifier"]).ainvoke(state["messages"])
    await asyncio.sleep(0.1)
    return {}


classifier = (
    StateGraph(MessagesState)
    .add_node("classify", _classify)
    .add_node("tell", _tell)
    .add_edge(START, "classify")
    .add_edge("classify", "tell")
    .compile()
)


async def _draft(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await says("This is a draft.").ainvoke(state["messages"])]}


async def _replace(state: MessagesState) -> dict[str, Any]:
    final = await says("This is final.").ainvoke(state["messages"])
    return {"messages": [RemoveMessage(str(state["messages"][-1].id)), final]}


async def _rewrite(state: MessagesState) -> dict[str, Any]:
    asked, final = HumanMessage("What was talked about so far."), AIMessage("After the rewrite.")
    return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), asked, final]}


remove_message = (
    StateGraph(MessagesState)
    .add_node("draft", _draft)
    .add_node("replace", _replace)
    .add_edge(START, "draft")
    .add_edge("draft", "replace")
    .compile()
)
remove_all = one(_rewrite)
