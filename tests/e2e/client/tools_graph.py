"""An agent that declares memory tools, and says what it was given."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from typing_extensions import TypedDict


class Context(TypedDict, total=False):
    """What a run is told."""

    parley_tools: dict[str, str]


def answer(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
    """Say whether there are tools, and where."""
    given = config.get("configurable", {}).get("parley_tools")
    return {"messages": [AIMessage(f"tools at {given['url']}" if given else "no tools")]}


graph = StateGraph(MessagesState, context_schema=Context).add_node(answer).add_edge(START, "answer").compile()
