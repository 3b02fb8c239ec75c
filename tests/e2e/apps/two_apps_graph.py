"""An agent that says which app it was asked by, how often in this conversation, and asks when told to."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


def _answer(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
    said = [each for each in state["messages"] if isinstance(each, HumanMessage)]
    asker = config["configurable"]["parley"]
    text = str(said[-1].text)
    if text == "ask":
        text = f"decided {interrupt({'question': 'Sure?', 'options': ['Do it', 'Leave it']})}"
    return {"messages": [AIMessage(f"{asker['channel']} {asker['account']} #{len(said)}: {text}")]}


graph = StateGraph(MessagesState).add_node("answer", _answer).add_edge(START, "answer").compile()
