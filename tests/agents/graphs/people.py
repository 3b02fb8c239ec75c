"""Graphs that ask who speaks, and remember by person."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import MessagesState
from langgraph.store.base import BaseStore

from tests.agents.graphs.models import one


async def _notes(state: MessagesState, config: RunnableConfig, store: BaseStore) -> dict[str, Any]:
    person = config["configurable"].get("user_id") or ""
    space = ("notes", person)
    before = await store.asearch(space)
    text = state["messages"][-1].text
    await store.aput(space, str(len(before)), {"text": text})
    found = await store.asearch(space, query="anything like it")
    scored = all(each.score is not None for each in found)
    return {"messages": [AIMessage(f"noted {len(before) + 1} scored={scored}")]}


notes = one(_notes)
