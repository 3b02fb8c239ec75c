"""Assistants: one of each graph from the start, and those that clients make."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Literal, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from pydantic import TypeAdapter

from parley.core.model.types import JsonObject
from parley.server.assistant_ids import assistant_id
from parley.server.authentication import configurable_values
from parley.server.graphs.registry import Graph, GraphRegistry
from parley.server.graphs.schemas import describe_schema
from parley.server.http_errors import Problem, invalid, not_found
from parley.server.storage.assistant_rows import (
    AssistantRow,
    add_version,
    current_assistants,
    delete_assistant,
    put_in_effect,
    versions_of,
)
from parley.server.storage.interface import Statement, Storage
from parley.server.storage.locks import Mutex
from parley.server.storage.metadata_filter import ANYTHING, MetadataFilter

_log = logging.getLogger(__name__)

_SYSTEM: JsonObject = {"created_by": "system"}


@dataclass(frozen=True, slots=True)
class AssistantChange:
    """What a client sets of an assistant; None leaves it as it is."""

    graph_id: str | None = None
    name: str | None = None
    description: str | None = None
    config: JsonObject | None = None
    context: JsonObject | None = None
    metadata: JsonObject | None = None

    def applied(self, row: AssistantRow) -> AssistantRow:
        """The row with what is set here; metadata is merged."""
        merged = {**row.metadata, **(self.metadata or {})}
        fields = ("graph_id", "name", "description", "config", "context")
        given = {name: value for name in fields if (value := getattr(self, name)) is not None}
        return replace(row, **given, metadata=merged)


@dataclass(frozen=True, slots=True)
class AssistantQuery:
    """Which assistants are looked for, of those that `rule` lets see; a name by any part of it."""

    graph_id: str = ""
    name: str = ""
    metadata: JsonObject = field(default_factory=dict)
    limit: int = 10
    offset: int = 0
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] = "created_at"
    descending: bool = True
    rule: MetadataFilter = ANYTHING

    def matches(self, row: AssistantRow) -> bool:
        """Whether an assistant is one of them."""
        if not self.rule.matches(row.metadata):
            return False
        named = self.name.casefold() in row.name.casefold()
        described = all(row.metadata.get(key) == value for key, value in self.metadata.items())
        return named and described and self.graph_id in ("", row.graph_id)


class AssistantService:
    """Assistants by id. Methods that take one raise Problem where there is none.

    Each graph has an assistant that is not stored, of version 1, until a client changes it.
    """

    def __init__(self, storage: Storage, graphs: GraphRegistry, clock: Callable[[], float]) -> None:
        self._database = storage.database
        self._cluster = storage.cluster
        self._graphs = graphs
        self._clock = clock
        self._started_at = clock()
        self._changing = Mutex("assistants", storage.cluster)
        self._loading: asyncio.Task[None] | None = None
        if storage.cluster is not None:
            storage.cluster.subscribe("assistants", self._hear_change)
        self._stored: dict[str, AssistantRow] = {}

    async def load(self) -> None:
        """Read what clients made; from here on it is known without asking."""
        self._stored = {row.assistant_id: row for row in await current_assistants(self._database)}

    async def look_up(self, name: str) -> AssistantRow:
        """An assistant by its id or its graph's name, also one that another server has just made."""
        try:
            return self.find(name)
        except Problem:
            if self._cluster is None:
                raise
        await self.load()
        return self.find(name)

    def find(self, name: str) -> AssistantRow:
        """An assistant by its id or its graph's name."""
        graph_id = self._graphs.resolve(name)
        found = self._stored.get(assistant_id(graph_id) if graph_id else name)
        if found is None and graph_id is None:
            raise not_found("Assistant")
        return found or self._of_graph(graph_id or "")

    async def create(
        self, identity: str | None, change: AssistantChange, *, keep: bool = False
    ) -> AssistantRow:
        """A new assistant; one that exists is returned as it is if `keep`, else that is a Problem."""
        graph_id = self._known_graph(change.graph_id or "")
        async with self._changed_here():
            identity = identity or str(uuid4())
            known = self._stored.get(identity) or self._find_of_graph(identity)
            if known and keep:
                return known
            if known:
                raise Problem(409, "Assistant already exists.")
            now = self._clock()
            empty = AssistantRow(identity, 1, graph_id, "Untitled", None, {}, {}, {}, now, now)
            row = replace(change, graph_id=graph_id).applied(empty)
            return await self._put(row)

    async def update(self, name: str, change: AssistantChange) -> AssistantRow:
        """A new version of an assistant, in effect at once."""
        if change.graph_id is not None:
            change = replace(change, graph_id=self._known_graph(change.graph_id))
        async with self._changed_here():
            row = await self.look_up(name)
            stored = await versions_of(self._database, row.assistant_id)
            newest = stored[0].version if stored else row.version
            first = [] if stored else add_version(row)
            row = replace(change.applied(row), version=newest + 1, updated_at=self._clock())
            return await self._put(row, *first)

    async def versions(self, name: str) -> list[AssistantRow]:
        """All versions of an assistant, newest first."""
        row = await self.look_up(name)
        return await versions_of(self._database, row.assistant_id) or [row]

    async def set_latest(self, name: str, version: int) -> AssistantRow:
        """Put a version in effect."""
        async with self._changed_here():
            found = [row for row in await self.versions(name) if row.version == version]
            if not found:
                raise not_found(f"Version {version}")
            if found[0].assistant_id in self._stored:
                await self._database.write(put_in_effect(found[0].assistant_id, version), durable=True)
                self._stored[found[0].assistant_id] = found[0]
            return found[0]

    async def delete(self, name: str) -> AssistantRow:
        """Forget an assistant that a client made."""
        async with self._changed_here():
            row = await self.look_up(name)
            if self.is_of_graph(row):
                raise Problem(
                    409, f"This is the assistant of the graph {row.graph_id}: it cannot be deleted."
                )
            await self._database.write(*delete_assistant(row.assistant_id), durable=True)
            del self._stored[row.assistant_id]
            return row

    def is_of_graph(self, row: AssistantRow) -> bool:
        """Return whether it is the one that a graph has."""
        return row.assistant_id in map(assistant_id, self._graphs.names)

    def search(self, query: AssistantQuery) -> list[AssistantRow]:
        """Assistants that match, in the order asked for, also beyond the limit."""
        stored = dict(self._stored)
        of_graphs = [self._of_graph(name) for name in self._graphs.names]
        rows = [stored.pop(row.assistant_id, row) for row in of_graphs]
        found = [row for row in (*rows, *stored.values()) if query.matches(row)]
        key: Callable[[AssistantRow], Any] = attrgetter(query.sort_by)
        return sorted(found, key=key, reverse=query.descending)

    async def schemas(self, name: str) -> dict[str, object]:
        """What an assistant's graph takes, holds and gives, as JSON schemas."""
        row = await self.look_up(name)
        async with self._graphs.open_to_read(row.graph_id, _config(row), "assistants.read") as graph:
            return {"graph_id": row.graph_id, **_schemas(graph)}

    async def drawing(self, name: str, *, depth: int | bool) -> Mapping[str, object]:
        """The nodes and edges of an assistant's graph, and of graphs within as deep as asked."""
        row = await self.look_up(name)
        async with self._graphs.open_to_read(row.graph_id, _config(row), "assistants.read") as graph:
            return (await graph.aget_graph(xray=depth)).to_json()

    async def subgraphs(self, name: str, namespace: str | None, *, recurse: bool) -> Mapping[str, object]:
        """The schemas of graphs within an assistant's graph, by where they are."""
        row = await self.look_up(name)
        async with self._graphs.open_to_read(row.graph_id, _config(row), "assistants.read") as graph:
            found = graph.aget_subgraphs(namespace=namespace, recurse=recurse)
            return {place: _schemas(cast("Graph", inner)) async for place, inner in found}

    @asynccontextmanager
    async def _changed_here(self) -> AsyncIterator[None]:
        """Change assistants while no other server does, by what is known to all."""
        async with self._changing.hold():
            if self._cluster is not None:
                await self.load()
            yield
            if self._cluster is not None:
                await self._database.write(self._cluster.announce("assistants", ""))

    def _hear_change(self, _: str) -> None:
        self._loading = asyncio.create_task(self._load_again())

    async def _load_again(self) -> None:
        try:
            await self.load()
        except self._database.errors as error:
            _log.warning("assistants of other servers cannot be read: %s", error)

    async def _put(self, row: AssistantRow, *before: Statement) -> AssistantRow:
        await self._database.write(*before, *add_version(row), durable=True)
        self._stored[row.assistant_id] = row
        return row

    def _find_of_graph(self, identity: str) -> AssistantRow | None:
        graph_id = self._graphs.resolve(identity)
        return self._of_graph(graph_id) if graph_id else None

    def _known_graph(self, name: str) -> str:
        graph_id = self._graphs.resolve(name)
        if graph_id is None:
            raise invalid(f"There is no graph {name!r}; there are: {', '.join(self._graphs.names)}.")
        return graph_id

    def _of_graph(self, name: str) -> AssistantRow:
        at = self._started_at
        return AssistantRow(assistant_id(name), 1, name, name, None, {}, {}, _SYSTEM, at, at)


def _config(row: AssistantRow) -> RunnableConfig:
    """What a graph's factory is given to read an assistant's graph."""
    configurable = row.config.get("configurable")
    values = {**(configurable if isinstance(configurable, dict) else {}), **row.context}
    return {"configurable": configurable_values(values)}


def _schemas(graph: Graph) -> dict[str, object]:
    built = getattr(graph, "builder", None)
    taken, given = getattr(built, "input_schema", None), getattr(built, "output_schema", None)
    held = getattr(built, "state_schema", None)
    context = describe_schema(graph.get_context_jsonschema, graph.context_schema)
    return {
        "input_schema": describe_schema(graph.get_input_jsonschema, taken),
        "output_schema": describe_schema(graph.get_output_jsonschema, given),
        "state_schema": describe_schema(lambda: TypeAdapter[Any](held).json_schema(), held) if held else None,
        "config_schema": context,
        "context_schema": context,
    }


def matching_metadata(rows: Sequence[AssistantRow], metadata: JsonObject) -> list[AssistantRow]:
    """Those whose metadata has all of this."""
    return [row for row in rows if AssistantQuery(metadata=metadata).matches(row)]
