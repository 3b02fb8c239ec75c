"""Threads and their state."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from langgraph_sdk import schema as sdk
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from parley.server.http_errors import NOT_FOUND, Problem
from parley.server.json_bodies import ApiModel, Offset, Strings
from parley.server.routes.access import permit, permitted_thread
from parley.server.routes.api_route import ApiRoute
from parley.server.routes.request_context import (
    app_state,
    as_uuid,
    parse_body,
    query_flag,
    query_number,
)
from parley.server.routes.responses import GraphJsonResponse
from parley.server.runs.payload import CheckpointPayload
from parley.server.storage.metadata_filter import MetadataFilter
from parley.server.storage.tables import ThreadQuery
from parley.server.threads.service import CheckpointRef


class ThreadCreate(ApiModel):
    """The body of `threads.create`."""

    thread_id: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    if_exists: Literal["raise", "do_nothing"] = "raise"
    supersteps: None = None
    ttl: None = None


class ThreadPatch(ApiModel):
    """The body of `threads.update`."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    ttl: None = None


class ThreadPrune(ApiModel):
    """The body of `threads.prune`."""

    thread_ids: Strings
    strategy: Literal["delete", "keep_latest"] = "delete"


class ThreadSearch(ApiModel):
    """The body of `threads.search` and `threads.count`."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    ids: Strings = Field(default_factory=list)
    status: Literal["idle", "busy", "interrupted", "error"] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: Offset = 0
    sort_by: Literal["thread_id", "status", "created_at", "updated_at"] = "created_at"
    sort_order: Literal["asc", "desc"] = "desc"
    select: Strings | None = None
    values: None = None
    extract: None = None

    def query(self, rule: MetadataFilter) -> ThreadQuery:
        """As the tables take it."""
        return ThreadQuery(
            self.metadata,
            self.ids,
            self.status or "",
            self.limit,
            self.offset,
            self.sort_by,
            self.sort_order == "desc",
            rule,
        )


class StateUpdate(ApiModel):
    """The body of `threads.update_state`."""

    values: Any = None
    as_node: str | None = None
    checkpoint: CheckpointPayload | None = None
    checkpoint_id: str | None = None


class StateAt(ApiModel):
    """The body of `threads.get_state` at a checkpoint."""

    checkpoint: CheckpointPayload
    subgraphs: bool = False
    select: Strings | None = None


class HistoryQuery(ApiModel):
    """The body of `threads.get_history`; `before` is a checkpoint or its id."""

    limit: int = Field(default=10, ge=1, le=1000)
    before: str | CheckpointPayload | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    checkpoint: CheckpointPayload | None = None
    select: Strings | None = None

    @property
    def before_id(self) -> str:
        """The checkpoint's id, or ""."""
        before = self.before.checkpoint_id if isinstance(self.before, CheckpointPayload) else self.before
        return before or ""


async def create(request: Request) -> Response:
    """Make a thread."""
    wanted = await parse_body(request, ThreadCreate)
    thread_id = as_uuid(wanted.thread_id, "thread_id") if wanted.thread_id else None
    threads, keep = app_state(request).threads, wanted.if_exists == "do_nothing"
    asked: dict[str, Any] = {
        "thread_id": UUID(thread_id) if thread_id else None,
        "metadata": wanted.metadata,
        "if_exists": wanted.if_exists,
    }
    rule = await permit(request, "threads", "create", asked)
    row = await threads.create(thread_id, asked.get("metadata") or {}, keep=keep, rule=rule)
    return GraphJsonResponse(await threads.view(row))


async def search(request: Request) -> Response:
    """Threads that match."""
    wanted = await parse_body(request, ThreadSearch)
    values = wanted.select is None or "values" in wanted.select
    query = await _permitted(request, wanted)
    found = await app_state(request).threads.search(query, values=values)
    if wanted.select is None:
        return GraphJsonResponse(found)
    return GraphJsonResponse([{key: view[key] for key in wanted.select if key in view} for view in found])


async def count(request: Request) -> Response:
    """How many threads match."""
    wanted = await parse_body(request, ThreadSearch)
    query = await _permitted(request, wanted)
    return GraphJsonResponse(await app_state(request).threads.tables.count_threads(query))


async def get(request: Request) -> Response:
    """One thread with its values."""
    row = await permitted_thread(request, "read")
    return GraphJsonResponse(await app_state(request).threads.view(row))


async def update(request: Request) -> Response:
    """Merge metadata."""
    wanted = await parse_body(request, ThreadPatch)
    threads = app_state(request).threads
    asked: dict[str, Any] = {"metadata": wanted.metadata, "action": None}
    permitted = await permitted_thread(request, "update", asked)
    row = await threads.update(permitted.thread_id, asked.get("metadata") or {})
    if "return=minimal" in request.headers.get("prefer", ""):
        return Response(status_code=204)
    return GraphJsonResponse(await threads.view(row))


async def delete(request: Request) -> Response:
    """Forget a thread."""
    row = await permitted_thread(request, "delete", {"run_id": None})
    await app_state(request).threads.delete(row.thread_id)
    return Response(status_code=204)


async def copy(request: Request) -> Response:
    """Make a thread with the same state and history."""
    threads = app_state(request).threads
    row = await permitted_thread(request, "read")
    asked: dict[str, Any] = {"thread_id": None, "metadata": dict(row.metadata), "if_exists": "raise"}
    await permit(request, "threads", "create", asked)
    made = await threads.copy(row.thread_id, asked.get("metadata") or {})
    return GraphJsonResponse(await threads.view(made))


async def prune(request: Request) -> Response:
    """Forget threads, or all of their history but the newest state; says of how many."""
    wanted = await parse_body(request, ThreadPrune)
    ids = [as_uuid(each, "thread_ids") for each in wanted.thread_ids]
    keep_latest = wanted.strategy == "keep_latest"
    seen = [each for each in ids if await _may_prune(request, each, keep_latest=keep_latest)]
    pruned = await app_state(request).threads.prune(seen, keep_latest=keep_latest)
    return GraphJsonResponse({"pruned_count": pruned})


async def get_state(request: Request) -> Response:
    """The newest state, or that of the checkpoint in the path."""
    row = await permitted_thread(request, "read")
    place = CheckpointRef(row.thread_id, request.path_params.get("checkpoint_id", ""))
    subgraphs = query_flag(request, "subgraphs")
    state = await app_state(request).threads.state(place, subgraphs=subgraphs)
    return GraphJsonResponse(_selected(state, request.query_params.getlist("select")))


async def get_state_at(request: Request) -> Response:
    """The state at the checkpoint in the body."""
    wanted = await parse_body(request, StateAt)
    row = await permitted_thread(request, "read")
    place = _place(row.thread_id, wanted.checkpoint)
    state = await app_state(request).threads.state(place, subgraphs=wanted.subgraphs)
    return GraphJsonResponse(_selected(state, wanted.select))


async def update_state(request: Request) -> Response:
    """Change the state."""
    wanted = await parse_body(request, StateUpdate)
    checkpoint = wanted.checkpoint or CheckpointPayload(checkpoint_id=wanted.checkpoint_id)
    row = await permitted_thread(request, "update", {"metadata": {}, "action": None})
    place = _place(row.thread_id, checkpoint)
    made = await app_state(request).threads.update_state(place, wanted.values, wanted.as_node)
    return GraphJsonResponse({"checkpoint": made, **made})


async def history(request: Request) -> Response:
    """States, newest first."""
    return await _history(request, await parse_body(request, HistoryQuery))


async def history_of_query(request: Request) -> Response:
    """States, newest first."""
    before = request.query_params.get("before") or None
    return await _history(request, HistoryQuery(limit=query_number(request, "limit", 10) or 1, before=before))


async def _history(request: Request, wanted: HistoryQuery) -> Response:
    row = await permitted_thread(request, "read")
    place = _place(row.thread_id, wanted.checkpoint or CheckpointPayload())
    states = await app_state(request).threads.history(
        place, limit=wanted.limit, before=wanted.before_id, metadata=wanted.metadata
    )
    return GraphJsonResponse([_selected(state, wanted.select) for state in states])


async def _permitted(request: Request, wanted: ThreadSearch) -> ThreadQuery:
    asked = wanted.model_dump(include={"metadata", "status", "limit", "offset"})
    ids = [UUID(as_uuid(each, "ids")) for each in wanted.ids] or None
    asked |= {"values": {}, "ids": ids, "thread_id": None}
    return wanted.query(await permit(request, "threads", "search", asked))


async def _may_prune(request: Request, thread_id: str, *, keep_latest: bool) -> bool:
    """Return whether a thread is there that may be pruned. Raises Problem where that is forbidden."""
    try:
        await permitted_thread(request, "update" if keep_latest else "delete", thread_id=thread_id)
    except Problem as problem:
        if problem.status != NOT_FOUND:
            raise
        return False
    return True


def _place(thread_id: str, checkpoint: CheckpointPayload) -> CheckpointRef:
    return CheckpointRef(thread_id, checkpoint.checkpoint_id or "", checkpoint.checkpoint_ns)


def _selected(state: dict[str, object], select: Strings | None) -> dict[str, object]:
    """Without the values that were not asked for; everything else is small and always comes."""
    values = state["values"]
    if not select or "values" in select or not isinstance(values, dict):
        return state
    keys = [field.removeprefix("values.") for field in select if field.startswith("values.")]
    return {**state, "values": {key: values[key] for key in keys if key in values}}


_ONE = "/threads/{thread_id}"
ROUTES = [
    ApiRoute("POST", "/threads", create, body=ThreadCreate, answer=sdk.Thread),
    ApiRoute("POST", "/threads/search", search, body=ThreadSearch, answer=list[sdk.Thread]),
    ApiRoute("POST", "/threads/count", count, body=ThreadSearch, answer=int),
    ApiRoute("POST", "/threads/prune", prune, body=ThreadPrune, answer=dict[str, int]),
    ApiRoute("GET", _ONE, get, answer=sdk.Thread),
    ApiRoute("PATCH", _ONE, update, body=ThreadPatch, answer=sdk.Thread),
    ApiRoute("DELETE", _ONE, delete),
    ApiRoute("POST", f"{_ONE}/copy", copy, answer=sdk.Thread),
    ApiRoute("GET", f"{_ONE}/state", get_state, answer=sdk.ThreadState, query=("subgraphs", "select")),
    ApiRoute("POST", f"{_ONE}/state", update_state, body=StateUpdate, answer=sdk.ThreadUpdateStateResponse),
    ApiRoute("POST", f"{_ONE}/state/checkpoint", get_state_at, body=StateAt, answer=sdk.ThreadState),
    ApiRoute(
        *("GET", _ONE + "/state/{checkpoint_id}", get_state),
        answer=sdk.ThreadState,
        query=("subgraphs", "select"),
    ),
    ApiRoute("POST", f"{_ONE}/history", history, body=HistoryQuery, answer=list[sdk.ThreadState]),
    ApiRoute(
        "GET", f"{_ONE}/history", history_of_query, answer=list[sdk.ThreadState], query=("limit", "before")
    ),
]
