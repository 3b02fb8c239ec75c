"""The bytes of a run as a LangGraph server streams it: tokens with the usual 1.3 kB each, updates, end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

_META = {
    "langgraph_version": "1.2.22",
    "langgraph_plan": "developer",
    "langgraph_host": "self-hosted",
    "langgraph_api_url": "http://127.0.0.1:2024",
    "langgraph_api_version": "0.16.7",
    "langgraph_request_id": "01a1fa7d-3f0e-7c51-b8a2-1d6f0b9a7c11",
    "langgraph_auth_user_id": "",
    "langgraph_step": 1,
    "langgraph_node": "model",
    "langgraph_triggers": ["branch:to:model"],
    "langgraph_path": ["__pregel_pull", "model"],
    "langgraph_checkpoint_ns": "model:0c4a6a3f-5ef2-cb86-74c7-0d1f3a3a8a51",
    "checkpoint_ns": "model:0c4a6a3f-5ef2-cb86-74c7-0d1f3a3a8a51",
    "graph_id": "agent",
    "assistant_id": "fe096781-5601-53d2-b2f6-0d3403f7e9ca",
    "run_attempt": 1,
    "created_by": "system",
    "ls_provider": "openai",
    "ls_model_name": "gpt-5-mini",
    "ls_model_type": "chat",
    "ls_temperature": 1.0,
    "ls_integration": "langchain_chat_model",
    "lc_versions": {"langchain-core": "1.7.2", "langchain": "1.4.7", "langchain-openai": "1.7.3"},
    "user_agent": "langgraph-sdk-py/0.4.14",
}
_EMPTY_CHUNK: dict[str, object] = {
    "additional_kwargs": {},
    "response_metadata": {"model_provider": "openai"},
    "type": "AIMessageChunk",
    "name": None,
    "tool_calls": [],
    "invalid_tool_calls": [],
    "usage_metadata": None,
    "tool_call_chunks": [],
    "chunk_position": None,
}


@dataclass(frozen=True, slots=True)
class Script:
    """What a run does: so many tokens, so many seconds apart. As an assistant's name: `20x0.25`."""

    tokens: int
    interval: float

    @classmethod
    def parse(cls, name: str) -> Script:
        """The inverse of `name`. Raises ValueError."""
        tokens, interval = name.split("x")
        return cls(int(tokens), float(interval))

    @property
    def name(self) -> str:
        return f"{self.tokens}x{self.interval:g}"

    @property
    def seconds(self) -> float:
        """How long a run lasts."""
        return self.tokens * self.interval

    @property
    def text(self) -> str:
        """The whole answer."""
        return "".join(_word(number) for number in range(self.tokens))


def first_events(run: str) -> bytes:
    """What comes before any token."""
    return _chunk(_frame("metadata", {"run_id": run, "attempt": 1}, 1))


def token_event(script: Script, number: int, run: str, thread: str) -> bytes:
    """Token `number`, from 0."""
    return _chunk(_token_template(script, number) % (run.encode(), thread.encode(), run.encode()))


def last_events(script: Script, run: str, status: str) -> bytes:
    """The node's update and the end, closing the response."""
    message = {**_EMPTY_CHUNK, "type": "ai", "content": script.text, "id": f"lc_run--{run}"}
    frames = (
        _frame("updates", {"model": {"messages": [message]}}, script.tokens + 2),
        _frame("end", {"status": status}, script.tokens + 3),
    )
    return b"".join(map(_chunk, frames)) + b"0\r\n\r\n"


def values(script: Script, run: str, asked: object) -> dict[str, object]:
    """The thread's state after the run; `asked` are the messages of the run's input."""
    before = asked if isinstance(asked, list) else []
    answer = {"type": "ai", "content": script.text, "id": f"lc_run--{run}"}
    return {"messages": [*before, answer]}


def _word(number: int) -> str:
    return f"word {number} "


@cache
def _token_template(script: Script, number: int) -> bytes:
    """The event with places for the message's, the thread's and the run's id."""
    message = {**_EMPTY_CHUNK, "content": _word(number), "id": "lc_run--%b"}
    meta = {**_META, "thread_id": "%b", "run_id": "%b"}
    return _frame("messages", [message, meta], number + 2)


def _frame(event: str, data: object, number: int) -> bytes:
    return f"event: {event}\r\ndata: {json.dumps(data)}\r\nid: {number}\r\n\r\n".encode()


def _chunk(frame: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(frame), frame)
