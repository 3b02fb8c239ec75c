"""An agent that ends its whole process when somebody says "kill"."""

from __future__ import annotations

import os
import signal

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


def answer(state: MessagesState) -> MessagesState:
    """Repeat what was said, or take the process along."""
    said = state["messages"][-1].text
    if said == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"messages": [AIMessage(f"You said {said}.")]}


_builder = StateGraph(MessagesState)
_builder.add_node("answer", answer)
_builder.add_edge(START, "answer")
_builder.add_edge("answer", END)
graph = _builder.compile()
