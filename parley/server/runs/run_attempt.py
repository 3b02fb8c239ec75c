"""One attempt at a run: the graph is run, and what it streams becomes events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message
from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from parley.core.model.types import JsonObject
from parley.server.assistant_ids import assistant_id
from parley.server.graphs.registry import Graph, GraphRegistry, can_prune
from parley.server.graphs.schemas import field_names
from parley.server.runs.event_log import RunEventLog
from parley.server.runs.payload import RunPayload
from parley.server.serialisation import interrupt_json, to_json_value
from parley.server.storage.tables import RunRow


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """A run about to be attempted; `taken` says that its input is already in the thread's state."""

    row: RunRow
    payload: RunPayload
    taken: bool


@dataclass(frozen=True, slots=True)
class ThreadSnapshot:
    """How a thread stands after a run: its values, what it asks by task id, and whether it is over."""

    values: object
    interrupts: JsonObject
    over: bool
    prunable: bool


async def perform_attempt(graphs: GraphRegistry, job: RunAttempt, log: RunEventLog) -> ThreadSnapshot:
    """Run the graph to its end or to an interrupt. Raises whatever the graph raises."""
    config = run_config(job)
    context = job.payload.context
    async with graphs.open(job.row.graph_id, config, "threads.create_run", context) as graph:
        accumulated = MessageAccumulator()
        async for namespace, mode, chunk in _stream(graph, job, config):
            suffix = "".join(f"|{part}" for part in namespace)
            if mode == "messages" and "messages-tuple" not in job.payload.stream_mode:
                for name, data in accumulated.add(*chunk):
                    log.append(name + suffix, data)
            else:
                log.append(mode + suffix, chunk)
        snapshot = await graph.aget_state({"configurable": {"thread_id": job.row.thread_id}})
        return ThreadSnapshot(
            snapshot.values, interrupts_by_task(snapshot), not snapshot.next, can_prune(graph)
        )


def run_config(job: RunAttempt) -> RunnableConfig:
    """The library's configuration of a run; what names the run cannot be set by a client."""
    row, payload = job.row, job.payload
    identity = {
        "thread_id": row.thread_id,
        "run_id": row.run_id,
        "graph_id": row.graph_id,
        "assistant_id": assistant_id(row.graph_id),
    }
    start = {} if job.taken else payload.start
    return {
        "run_id": UUID(row.run_id),
        "run_name": row.graph_id,
        "tags": payload.config.tags,
        "recursion_limit": payload.config.recursion_limit,
        "configurable": {**payload.configurable, **payload.context, **identity, **start},
        "metadata": {**payload.config.metadata, **row.metadata, **identity, "run_attempt": row.attempt},
    }


def interrupts_by_task(snapshot: StateSnapshot) -> JsonObject:
    """What each waiting task asks."""
    return {
        task.id: [to_json_value(interrupt_json(interrupt)) for interrupt in task.interrupts]
        for task in snapshot.tasks
        if task.interrupts
    }


class MessageAccumulator:
    """The `messages` mode: every event carries its message as far as it has come."""

    def __init__(self) -> None:
        self._messages: dict[str, BaseMessage] = {}

    def add(self, message: BaseMessage, metadata: dict[str, object]) -> list[tuple[str, object]]:
        """The events that one streamed piece makes."""
        key = message.id or ""
        known = self._messages.get(key)
        events: list[tuple[str, object]] = (
            [] if known else [("messages/metadata", {key: {"metadata": metadata}})]
        )
        if isinstance(known, BaseMessageChunk) and isinstance(message, BaseMessageChunk):
            message = cast("BaseMessage", known + message)
        self._messages[key] = message
        if isinstance(message, BaseMessageChunk):
            return [*events, ("messages/partial", [message_chunk_to_message(message)])]
        return [*events, ("messages/complete", [message])]


async def _stream(
    graph: Graph, job: RunAttempt, config: RunnableConfig
) -> AsyncIterator[tuple[tuple[str, ...], str, Any]]:
    payload = job.payload
    modes = {"messages" if mode == "messages-tuple" else mode for mode in payload.stream_mode}
    stream = graph.astream(
        cast("Any", _input(job)),
        config,
        context=_context(graph, payload),
        stream_mode=cast("Any", sorted(modes)),
        subgraphs=payload.stream_subgraphs,
        interrupt_before=cast("Any", payload.interrupt_before),
        interrupt_after=cast("Any", payload.interrupt_after),
        durability=payload.durability,
    )
    async for part in stream:
        yield cast("Any", part if payload.stream_subgraphs else ((), *part))


def _input(job: RunAttempt) -> object:
    if job.taken:
        return None
    return job.payload.command.build() if job.payload.command else job.payload.input


def _context(graph: Graph, payload: RunPayload) -> dict[str, Any] | None:
    """What the graph finds as its runtime's context: the run's context, or its configurable values."""
    values = payload.context or payload.configurable
    if names := field_names(graph.context_schema):
        values = {name: value for name, value in values.items() if name in names}
    return values or None
