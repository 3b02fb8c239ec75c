"""Runs of the DeerFlow-shaped server: what it takes in their bodies, what it refuses, and their events."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

StreamMode = Literal["values", "messages-tuple", "updates", "debug", "tasks", "checkpoints", "custom"]

_EVENT = re.compile(r"\d{1,20}-(\d{1,9})")
_MODES = frozenset({"values", "messages-tuple", "updates", "debug", "tasks", "checkpoints", "custom"})


class RunCreateRequest(BaseModel):
    """Everything that is not named here is refused."""

    model_config = ConfigDict(extra="forbid")

    assistant_id: str | None = None
    input: dict[str, Any] | None = None
    command: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    webhook: None = None
    checkpoint_id: str | None = None
    checkpoint: dict[str, Any] | None = None
    interrupt_before: list[str] | Literal["*"] | None = None
    interrupt_after: list[str] | Literal["*"] | None = None
    stream_mode: list[StreamMode] | StreamMode | None = None
    stream_subgraphs: bool = False
    stream_resumable: Literal[False] | None = None
    on_disconnect: Literal["cancel", "continue"] = "cancel"
    on_completion: None = None
    multitask_strategy: Literal["reject", "rollback", "interrupt"] = "reject"
    after_seconds: None = None
    if_not_exists: Literal["create"] = "create"
    feedback_keys: None = None

    @field_validator("stream_resumable", mode="before")
    @classmethod
    def _no_resumable_streams(cls, value: object) -> object:
        if value is None or value is False:
            return value
        raise _unsupported("stream_resumable")

    @field_validator("webhook", "on_completion", "after_seconds", "feedback_keys", mode="before")
    @classmethod
    def _only_empty(cls, value: object, info: ValidationInfo) -> object:
        if value is None:
            return value
        raise _unsupported(info.field_name or "")

    @field_validator("multitask_strategy", mode="before")
    @classmethod
    def _no_queues(cls, value: object) -> object:
        if not isinstance(value, str) or value in ("reject", "rollback", "interrupt"):
            return value
        raise _unsupported("multitask_strategy")

    @field_validator("stream_mode", mode="before")
    @classmethod
    def _known_modes(cls, value: str | list[str] | None) -> object:
        modes = [value] if isinstance(value, str) else value or []
        if wrong := ", ".join(mode for mode in modes if mode not in _MODES):
            text = "Unsupported stream mode(s): {modes}"
            raise PydanticCustomError("unsupported_stream_mode", text, {"modes": wrong})
        return value

    @property
    def modes(self) -> list[str]:
        """The stream modes as the graph library calls them."""
        given = self.stream_mode or ["values"]
        return [
            "messages" if m == "messages-tuple" else m for m in ([given] if isinstance(given, str) else given)
        ]


def _unsupported(option: str) -> PydanticCustomError:
    text = "Run option '{option}' is not supported by DeerFlow"
    return PydanticCustomError("unsupported_run_option", text, {"option": option})


def describe(error: ValidationError) -> dict[str, Any]:
    """The body of the answer 422, as FastAPI makes it."""
    found = error.errors(include_url=False)
    return {"detail": [{**each, "loc": ["body", *each["loc"]]} for each in found]}


@dataclass(eq=False)
class DeerFlowRun:
    """A run and what its stream has said."""

    thread: str
    order: RunCreateRequest
    run_id: str = field(default_factory=lambda: str(uuid4()))
    status: str = "pending"
    events: list[str] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        return self.status not in ("pending", "running")

    def view(self) -> dict[str, Any]:
        order = self.order
        return {
            "run_id": self.run_id,
            "thread_id": self.thread,
            "assistant_id": order.assistant_id,
            "status": self.status,
            "metadata": order.metadata or {},
            "multitask_strategy": order.multitask_strategy,
        }

    def say(self, event: str, data: object) -> None:
        number = f"1787000000000-{len(self.events)}"
        self.events.append(f"event: {event}\ndata: {json.dumps(data)}\nid: {number}\n\n")
        self._tell()

    def after(self, event_id: str) -> int:
        """Return how many events came up to this one; an unknown one is before all."""
        found = _EVENT.fullmatch(event_id)
        at = int(found[1]) if found else len(self.events)
        return at + 1 if at < len(self.events) else 0

    def end(self, status: str) -> None:
        self.status = status
        self.say("end", None)

    def _tell(self) -> None:
        self.news.set()
        self.news = asyncio.Event()


def run_input(order: RunCreateRequest, *, fresh: bool) -> Any:  # noqa: ANN401 - whatever the graph takes
    """Return what the graph is given."""
    if order.command and order.command.get("resume") is not None:
        return Command(resume=order.command["resume"])
    if not order.input:
        return {}
    messages = convert_to_messages(order.input.get("messages", []))
    last = messages[-1] if messages else None
    if fresh and isinstance(last, HumanMessage) and last.id:
        messages[-1] = last.model_copy(update={"id": f"{last.id}__user"})
    return {**order.input, "messages": messages}


def run_config(thread: str, given: Mapping[str, Any] | None = None) -> RunnableConfig:
    """Return the configuration of a run."""
    given = given or {}
    configurable = {**given.get("configurable", {}), "thread_id": thread, "checkpoint_ns": ""}
    return {"configurable": configurable, "recursion_limit": min(given.get("recursion_limit", 100), 1000)}
