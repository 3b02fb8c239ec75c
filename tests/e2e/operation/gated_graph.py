"""An agent that writes down what its runs are given, and waits until a file is there.

Its loop is one of its own: "hold the loop" blocks that, and nothing can be asked of it meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph

FOLDER = Path(__file__).parent
"""Tests copy this file to where they run."""


async def answer(state: MessagesState, config: RunnableConfig) -> MessagesState:
    """Say what was asked, once the gate is open."""
    given = [message.text for message in state["messages"]]
    line = json.dumps({"run": str(config["metadata"]["run_id"]), "given": given})
    with (FOLDER / "given.jsonl").open("a") as file:
        file.write(line + "\n")
    while not (FOLDER / "open").exists():
        if "hold the loop" in given[-1]:
            time.sleep(0.02)  # noqa: ASYNC251 - nothing else may run here
        else:
            await asyncio.sleep(0.02)
    return {"messages": [AIMessage(f"You said {given[-1]}.")]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").compile()
