"""One attempt at a run: the graph is run, and what it streams becomes events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from parley.core.model.types import JsonObject
from parley.server.authentication import configurable_values, graph_values
from parley.server.graphs.registry import Graph, GraphRegistry, can_prune
from parley.server.graphs.schemas import field_names
from parley.server.runs.event_log import RunEventLog
from parley.server.runs.graph_stream import stream_graph
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

    def told(self) -> object:
        """The values as clients are told them, with what is asked."""
        asked = [question for task in self.interrupts.values() for question in cast("list[object]", task)]
        return with_interrupts(self.values, asked)


def with_interrupts(values: object, asked: object) -> object:
    """Return values with what is asked beside them."""
    return {**values, "__interrupt__": asked} if asked and isinstance(values, dict) else values


async def perform_attempt(graphs: GraphRegistry, job: RunAttempt, log: RunEventLog) -> ThreadSnapshot:
    """Run the graph to its end or to an interrupt. Raises whatever the graph raises."""
    config = run_config(job)
    context = job.payload.context
    async with graphs.open(job.row.graph_id, config, "threads.create_run", context) as graph:
        options = _options(graph, job)
        async for name, data in stream_graph(graph, _input(job), config, job.payload, options):
            log.append(name, data)
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
        "assistant_id": row.of_assistant,
    }
    start = {} if job.taken else payload.start
    return {
        "run_id": UUID(row.run_id),
        "run_name": row.graph_id,
        "tags": payload.config.tags,
        "recursion_limit": payload.config.recursion_limit,
        "configurable": {
            **payload.configurable,
            **configurable_values(payload.context),
            **identity,
            **graph_values(row.auth_user),
            **start,
        },
        "metadata": {**payload.config.metadata, **row.metadata, **identity, "run_attempt": row.attempt},
    }


def interrupts_by_task(snapshot: StateSnapshot) -> JsonObject:
    """What each waiting task asks."""
    return {
        task.id: [to_json_value(interrupt_json(interrupt)) for interrupt in task.interrupts]
        for task in snapshot.tasks
        if task.interrupts
    }


def _options(graph: Graph, job: RunAttempt) -> dict[str, Any]:
    payload = job.payload
    return {
        "context": _context(graph, payload),
        "subgraphs": payload.stream_subgraphs,
        "interrupt_before": payload.interrupt_before,
        "interrupt_after": payload.interrupt_after,
        "durability": payload.durability,
    }


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
