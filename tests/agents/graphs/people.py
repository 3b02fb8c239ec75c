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


async def _tell(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
    known: Any = config["configurable"]
    who = known.get("parley") or {}
    # Aegra tells a record only.
    user = known.get("langgraph_auth_user")
    named = user.get("identity") if isinstance(user, dict) else ""
    signed_in = known.get("langgraph_auth_user_id") or named or "nobody"
    keys = ("person", "name", "platform", "chat_kind", "private")
    told = " ".join(f"{key}={who.get(key)}" for key in keys)
    called = state["messages"][-1].name
    return {
        "messages": [AIMessage(f"{told} user_id={known.get('user_id')} called={called} auth={signed_in}")]
    }


whoami = one(_tell)
