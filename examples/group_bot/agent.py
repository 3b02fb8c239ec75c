"""A bot for groups: it knows who speaks, calls people by name, and notes what each brings to a party."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from offline_model import OfflineModel, call


@dataclass
class Context:
    """What Parley tells of a run; it fills the fields that are here (docs/identity.md)."""

    user_id: str = ""
    parley: dict[str, Any] = field(default_factory=dict)


@tool
async def bring(what: str, runtime: ToolRuntime[Context, Any]) -> str:
    """Note what the person who speaks brings."""
    who = runtime.context
    assert runtime.store is not None
    party = ("party", who.parley["chat"].replace(".", "_"))
    await runtime.store.aput(party, who.user_id, {"name": who.parley["name"], "what": what})
    return f"Thank you, {who.parley['name']}: {what} is noted"


@tool
async def who_brings(runtime: ToolRuntime[Context, Any]) -> str:
    """List what everybody brings."""
    assert runtime.store is not None
    noted = await runtime.store.asearch(("party", runtime.context.parley["chat"].replace(".", "_")))
    lines = sorted(f"{each.value['name']} brings {each.value['what']}" for each in noted)
    return ", ".join(lines) or "Nobody brings anything yet"


def _script(messages: list[BaseMessage]) -> AIMessage:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        return AIMessage(f"{last.text}.")
    asked = last.text.splitlines()[-1]  # above it may stand who speaks
    if "who brings" in asked.lower():
        return call("who_brings")
    what = asked.partition("bring ")[2].strip(" .!")
    return (
        call("bring", what=what) if what else AIMessage("Tell me “I bring soup”, or ask “who brings what?”")
    )


model = OfflineModel(script=_script)  # a real one: model = "openai:gpt-5-mini"
graph = create_agent(model, tools=[bring, who_brings], context_schema=Context)
