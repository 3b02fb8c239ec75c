"""Threads as clients see them: rows, and the state that graphs keep in them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from parley.core.model.types import JsonObject
from parley.server.graphs.registry import Graph, GraphAccess, GraphRegistry, can_prune
from parley.server.http_errors import Problem, invalid, not_found
from parley.server.runs.graph_stream import checkpoint_of
from parley.server.runs.run_attempt import interrupts_by_task
from parley.server.runs.thread_queues import RunQueues
from parley.server.serialisation import interrupt_json
from parley.server.storage.interface import Storage
from parley.server.storage.metadata_filter import ANYTHING, MetadataFilter
from parley.server.storage.tables import (
    Tables,
    ThreadQuery,
    ThreadRow,
    delete_thread,
    save_thread,
    set_thread_status,
)

if TYPE_CHECKING:  # what is off loads nothing
    from parley.server.workspace.workspaces import Workspaces

_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class CheckpointRef:
    """A state in a thread's history: the newest unless a checkpoint is named."""

    thread_id: str
    checkpoint_id: str = ""
    namespace: str = ""

    def config(self) -> RunnableConfig:
        """As the library takes it."""
        configurable = {"thread_id": self.thread_id, "checkpoint_ns": self.namespace}
        if self.checkpoint_id:
            configurable["checkpoint_id"] = self.checkpoint_id
        return {"configurable": configurable}


class ThreadService:
    """Threads by id. Every method that takes an id raises Problem when there is no such thread."""

    def __init__(
        self,
        storage: Storage,
        graphs: GraphRegistry,
        lanes: RunQueues,
        clock: Callable[[], float],
        workspaces: Workspaces | None = None,
    ) -> None:
        self._workspaces = workspaces
        self._database = storage.database
        self._checkpoints = storage.checkpoints
        self._graphs = graphs
        self._lanes = lanes
        self._clock = clock
        self.tables = Tables(storage.database)

    async def row(self, thread_id: str) -> ThreadRow:
        """The thread's row."""
        row = await self.tables.thread(thread_id)
        if row is None:
            raise not_found("Thread")
        return row

    async def create(
        self,
        thread_id: str | None,
        metadata: JsonObject,
        *,
        keep: bool,
        rule: MetadataFilter = ANYTHING,
    ) -> ThreadRow:
        """A new thread; one that exists is returned as it is if `keep` and `rule` lets see it.

        Else that is a Problem.
        """
        async with self._lanes.hold(thread_id or str(uuid4())) as lane:
            known = await self.tables.thread(lane.thread_id)
            if known and keep and rule.matches(known.metadata):
                return known
            if known:
                raise Problem(409, "Thread already exists.")
            now = self._clock()
            graph = self._graphs.resolve(str(metadata.get("graph_id", ""))) or ""
            row = ThreadRow(lane.thread_id, now, now, "idle", graph, metadata, {}, "")
            await self._database.write(save_thread(row), durable=True)
            return row

    async def update(self, thread_id: str, metadata: JsonObject) -> ThreadRow:
        """Merge metadata into the thread's."""
        async with self._lanes.hold(thread_id):
            row = await self.row(thread_id)
            row = replace(row, metadata={**row.metadata, **metadata}, updated_at=self._clock())
            await self._database.write(save_thread(row), durable=True)
            return row

    async def delete(self, thread_id: str) -> None:
        """Stop what runs on the thread and forget it."""
        async with self._lanes.hold(thread_id) as lane:
            await self.row(thread_id)
            runs = await self._lanes.unfinished(lane.thread_id)
            for run in runs:
                await self._lanes.cancel(run, "interrupt")
            await asyncio.gather(*(run.done.wait() for run in runs))
            await self._checkpoints.delete(thread_id)
            if self._workspaces is not None:
                await asyncio.to_thread(self._workspaces.delete, thread_id)
            await self._database.write(*delete_thread(thread_id), durable=True)

    async def copy(self, thread_id: str, metadata: JsonObject | None = None) -> ThreadRow:
        """A new thread, of this metadata if any, that stands where this one does, with history and files."""
        async with self._lanes.hold(thread_id) as lane:
            row = await self.row(thread_id)
            if lane.queue:
                raise Problem(409, "Thread is running a task; it cannot be copied now.")
            now = self._clock()
            made = replace(row, thread_id=str(uuid4()), created_at=now, updated_at=now)
            made = made if metadata is None else replace(made, metadata=metadata)
            # The files first: a row without them would look whole.
            if self._workspaces is not None:
                await asyncio.to_thread(self._workspaces.copy, thread_id, made.thread_id)
            await self._database.write(
                save_thread(made), *self._checkpoints.copy(thread_id, made.thread_id), durable=True
            )
            return made

    async def prune(self, thread_ids: Sequence[str], *, keep_latest: bool) -> int:
        """Forget threads, or all but their newest states; returns how many that are there."""
        pruned = 0
        for thread_id in dict.fromkeys(thread_ids):
            row = await self.tables.thread(thread_id)
            if row is None:
                continue
            if keep_latest:
                pruned += await self._keep_latest(row)
            else:
                await self.delete(thread_id)
                pruned += 1
        return pruned

    async def _keep_latest(self, row: ThreadRow) -> bool:
        """Forget older states unless the thread is busy, or rebuilt from them; whether that was done."""
        async with self._lanes.hold(row.thread_id) as lane, self._graph(row, "threads.update") as graph:
            if lane.queue or graph is None or not can_prune(graph):
                return False
            await self._database.write(*self._checkpoints.keep_newest([row.thread_id], 1), durable=True)
            return True

    async def search(self, query: ThreadQuery, *, values: bool) -> list[dict[str, object]]:
        """Threads that match, with their values if asked."""
        rows = await self.tables.search_threads(query)
        return [await self.view(row) if values else row.view() for row in rows]

    async def view(self, row: ThreadRow) -> dict[str, object]:
        """The thread with its newest values, none where its graph cannot be made."""
        try:
            snapshot = await self._snapshot(row, CheckpointRef(row.thread_id))
        except Problem:
            snapshot = None
        return {**row.view(), "values": snapshot.values if snapshot else {}}

    async def state(self, place: CheckpointRef, *, subgraphs: bool = False) -> dict[str, object]:
        """A state in the thread's history."""
        snapshot = await self._snapshot(await self.row(place.thread_id), place, subgraphs=subgraphs)
        return state_view(snapshot) if snapshot else _no_state(place)

    async def history(
        self, place: CheckpointRef, *, limit: int, before: str, metadata: JsonObject
    ) -> list[dict[str, object]]:
        """States of the thread, newest first."""
        async with self._graph(await self.row(place.thread_id), "threads.read") as graph:
            if graph is None:
                return []
            snapshots = graph.aget_state_history(
                place.config(),
                filter=dict(metadata) or None,
                before={"configurable": {"checkpoint_id": before}} if before else None,
                limit=limit,
            )
            try:
                return [state_view(snapshot) async for snapshot in snapshots]
            except ValueError as error:  # a key that the library takes for SQL
                raise invalid(str(error)[:_LONGEST]) from error

    async def update_state(
        self, place: CheckpointRef, values: object, as_node: str | None
    ) -> Mapping[str, object]:
        """Change the thread's state as if a node had; returns where the new state is."""
        async with self._lanes.hold(place.thread_id) as lane:
            row = await self.row(place.thread_id)
            if lane.queue:
                raise Problem(409, "Thread is running a task; its state cannot be changed now.")
            async with self._graph(row, "threads.update") as graph:
                if graph is None:
                    raise Problem(400, "Thread has no graph yet: run one on it, or set metadata.graph_id.")
                if place.checkpoint_id and not await self._checkpoints.has(
                    place.thread_id, place.namespace, place.checkpoint_id
                ):
                    raise not_found("Checkpoint")
                config = await self._updated(
                    graph.aupdate_state(place.config(), cast("Any", values), as_node)
                )
                await self._note_stand(row, await graph.aget_state(CheckpointRef(row.thread_id).config()))
                return config["configurable"]

    async def _updated(self, update: Awaitable[RunnableConfig]) -> RunnableConfig:
        """Await an update. Raises Problem where a reducer, a user's code, or the library refuses it."""
        results = await asyncio.gather(update, return_exceptions=True)
        made = results[0]
        if isinstance(made, self._database.errors):
            raise made
        if isinstance(made, Exception):
            raise invalid(
                f"The state takes no such update: {type(made).__name__}: {made}"[:_LONGEST]
            ) from made
        if isinstance(made, BaseException):
            raise made
        return made

    async def _note_stand(self, row: ThreadRow, snapshot: StateSnapshot) -> None:
        status = "interrupted" if snapshot.next else "idle"
        await self._database.write(
            set_thread_status(row.thread_id, self._clock(), status, interrupts_by_task(snapshot)),
            durable=True,
        )

    @asynccontextmanager
    async def _graph(self, row: ThreadRow, access: GraphAccess) -> AsyncIterator[Graph | None]:
        """Yield the graph that a thread's runs are of, None where it has none."""
        if not self._graphs.resolve(row.graph_id):
            yield None
            return
        config: RunnableConfig = {"configurable": {"thread_id": row.thread_id}}
        async with self._graphs.open_to_read(row.graph_id, config, access) as graph:
            yield graph

    async def _snapshot(
        self, row: ThreadRow, place: CheckpointRef, *, subgraphs: bool = False
    ) -> StateSnapshot | None:
        async with self._graph(row, "threads.read") as graph:
            if graph is None:
                return None
            snapshot = await graph.aget_state(place.config(), subgraphs=subgraphs)
        if place.checkpoint_id and snapshot.created_at is None:
            raise not_found("Checkpoint")
        return snapshot


def state_view(snapshot: StateSnapshot) -> dict[str, object]:
    """A state as the protocol shows it."""
    checkpoint = checkpoint_of(snapshot.config)
    parent = checkpoint_of(snapshot.parent_config)
    return {
        "values": snapshot.values,
        "next": snapshot.next,
        "tasks": [
            {
                "id": task.id,
                "name": task.name,
                "path": task.path,
                "error": None if task.error is None else str(task.error),
                "interrupts": [interrupt_json(interrupt) for interrupt in task.interrupts],
                "checkpoint": None,
                "state": state_view(task.state) if isinstance(task.state, StateSnapshot) else None,
                "result": task.result,
            }
            for task in snapshot.tasks
        ],
        "metadata": snapshot.metadata or {},
        "created_at": snapshot.created_at,
        "checkpoint": checkpoint,
        "parent_checkpoint": parent,
        "checkpoint_id": checkpoint and checkpoint.get("checkpoint_id"),
        "parent_checkpoint_id": parent and parent.get("checkpoint_id"),
        "interrupts": [interrupt_json(interrupt) for interrupt in snapshot.interrupts],
    }


def _no_state(place: CheckpointRef) -> dict[str, object]:
    empty = StateSnapshot({}, (), place.config(), None, None, None, (), ())
    return state_view(empty)
