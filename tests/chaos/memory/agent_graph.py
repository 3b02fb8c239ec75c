"""An agent that says which words it was told of its person, and which it finds with its memory tools."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from tests.chaos.memory import lesson_hold
from tests.chaos.memory.faults import FAULTS
from tests.chaos.memory.words import ASKED, WORD

if fault := os.environ.get("PARLEY_CHAOS_FAULT"):
    FAULTS[fault].seed()
if folder := os.environ.get(lesson_hold.VARIABLE):
    lesson_hold.obey(Path(folder))


class Context(TypedDict, total=False):
    """What a run is told."""

    memory: str
    parley_tools: dict[str, str]


async def answer(state: MessagesState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Repeat what was said, or, where that is a question, tell the words that are known."""
    said = str(state["messages"][-1].content)
    asked = ASKED.search(said)
    if asked is None:
        return {"messages": [AIMessage(f"Noted: {' '.join(WORD.findall(said))}")]}
    given = runtime.context.get("parley_tools", {})
    told = [runtime.context.get("memory", "")]
    told += [
        await _use(given, "memory_search", query="which boats"),
        await _use(given, "conversation_search"),
    ]
    parts = (" ".join(sorted(set(WORD.findall(text)))) for text in told)
    return {"messages": [AIMessage(f"{asked[0]} knows {' | '.join(parts)} | end")]}


async def _use(given: dict[str, str], tool: str, **arguments: str) -> str:
    """Return what a tool finds; nothing where the process behind it was killed."""
    if not given:
        return ""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = request | {"params": {"name": tool, "arguments": {**arguments, "limit": 20}}}
    headers = {"authorization": f"Bearer {given['token']}", "accept": "application/json, text/event-stream"}
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
            return json.dumps((await client.post(given["url"], json=body, headers=headers)).json())
    except (httpx.HTTPError, ValueError):
        return ""


graph = StateGraph(MessagesState, context_schema=Context).add_node(answer).add_edge(START, "answer").compile()
