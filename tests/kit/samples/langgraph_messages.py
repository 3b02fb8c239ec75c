"""Events and messages as LangGraph servers send them."""

from __future__ import annotations

from typing import Any

from parley.core.model.address import User
from parley.core.model.types import Json, RunRequest, SessionSettings

MESSAGE_ID = "5e0b3f9e-7f2c-4d6e-9a5e-2f3b1c0d4e5f"
THREAD = "0b0a5c2e-8a39-4a54-9b9c-0a6f0d1e2f3a"


def human(text: str = "hi", message_id: str = MESSAGE_ID, **extra: Json) -> dict[str, Json]:
    return {"type": "human", "id": message_id, "content": text, **extra}


def ai(text: Json, message_id: str = "a1", **extra: Json) -> dict[str, Json]:
    return {"type": "ai", "id": message_id, "content": text, "tool_calls": [], **extra}


def tool(text: str, call_id: str = "c1", **extra: Json) -> dict[str, Json]:
    return {
        "type": "tool",
        "id": f"t-{call_id}",
        "content": text,
        "tool_call_id": call_id,
        "name": "look",
        **extra,
    }


def chunk(text: Json, message_id: str = "a1", **extra: Json) -> tuple[str, Json]:
    """A `messages` event with a piece of a model's answer."""
    message = {"type": "AIMessageChunk", "id": message_id, "content": text, "tool_call_chunks": [], **extra}
    return "messages", [message, {"langgraph_node": "model", "langgraph_checkpoint_ns": "model:1"}]


def update(*messages: Json, node: str = "model") -> tuple[str, Json]:
    """An `updates` event of a node that adds messages."""
    return "updates", {node: {"messages": list(messages)}}


def answer(*pieces: str, message_id: str = "a1") -> list[tuple[str, Json]]:
    """A streamed answer and its update."""
    return [*(chunk(piece, message_id) for piece in pieces), update(ai("".join(pieces), message_id))]


def request(text: str = "hi", **changes: object) -> RunRequest:
    values: dict[str, Any] = {
        "turn_id": "turn-1",
        "message_id": MESSAGE_ID,
        "thread": THREAD,
        "text": text,
        "person": User("web", "ada"),
        "session": SessionSettings("agent"),
    }
    return RunRequest(**{**values, **changes})
