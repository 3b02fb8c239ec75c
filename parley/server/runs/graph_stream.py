"""What a graph streams, as the events that a run's client asked for."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, TypeAlias, cast

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message
from langchain_core.runnables import RunnableConfig

from parley.server.graphs.registry import Graph
from parley.server.runs.payload import RunPayload

Part: TypeAlias = tuple[tuple[str, ...], str, Any]
"""Where in the graph, in which mode, what."""

_OURS = {"messages-tuple": "messages"}
_NOT_OF_GRAPHS = {"events", "tools", "lifecycle"}


async def stream_graph(
    graph: Graph, given: object, config: RunnableConfig, payload: RunPayload, options: dict[str, Any]
) -> AsyncIterator[tuple[str, object]]:
    """Run the graph; yields names and data of events. Raises whatever the graph raises."""
    accumulated = MessageAccumulator()
    modes = {_OURS.get(mode, mode) for mode in payload.stream_mode} - _NOT_OF_GRAPHS
    more = options | {"stream_mode": sorted(modes) or ["values"]}
    run = _with_events if "events" in payload.stream_mode else _parts
    async with aclosing(run(graph, given, config, more)) as parts:
        async for namespace, mode, chunk in parts:
            if mode not in modes and mode != "events":
                continue
            suffix = "".join(f"|{part}" for part in namespace)
            if mode == "messages" and "messages-tuple" not in payload.stream_mode:
                for name, data in accumulated.add(*chunk):
                    yield name + suffix, data
            else:
                yield mode + suffix, _with_places(mode, chunk)


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


async def _parts(
    graph: Graph, given: object, config: RunnableConfig, options: dict[str, Any]
) -> AsyncGenerator[Part, None]:
    async for part in graph.astream(cast("Any", given), config, **options):
        yield _located(part, options)


async def _with_events(
    graph: Graph, given: object, config: RunnableConfig, options: dict[str, Any]
) -> AsyncGenerator[Part, None]:
    """What the graph streams, and between it what LangChain tells of everything that runs."""
    run_id = str(config.get("run_id"))
    async for event in graph.astream_events(cast("Any", given), config, version="v2", **options):
        if "langsmith:hidden" in event.get("tags", ()):
            continue
        if event["event"] == "on_chain_stream" and event["run_id"] == run_id:
            yield _located(event["data"].get("chunk"), options)
        else:
            yield (), "events", event


def _located(part: object, options: dict[str, Any]) -> Part:
    return cast("Part", part if options["subgraphs"] else ((), *cast("tuple[str, Any]", part)))


def _with_places(mode: str, chunk: object) -> object:
    """Name the checkpoints of a debugged step as the protocol names them elsewhere."""
    if not isinstance(chunk, dict):
        return chunk
    if mode == "debug" and chunk.get("type") == "checkpoint":
        return {**chunk, "payload": _with_places("checkpoints", chunk["payload"])}
    if mode != "checkpoints":
        return chunk
    places = {"checkpoint": chunk.get("config"), "parent_checkpoint": chunk.get("parent_config")}
    return {**chunk, **{name: checkpoint_of(config) for name, config in places.items()}}


def checkpoint_of(config: RunnableConfig | None) -> dict[str, object] | None:
    """A checkpoint as the protocol names it."""
    if config is None:
        return None
    place = config["configurable"]
    return {key: place.get(key) for key in ("thread_id", "checkpoint_ns", "checkpoint_id")}
