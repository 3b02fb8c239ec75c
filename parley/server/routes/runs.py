"""Runs: made, streamed, waited for, joined, listed and cancelled."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast, get_args
from uuid import UUID

from langgraph_sdk import schema as sdk
from pydantic import FailFast, Field, RootModel
from starlette.requests import Request
from starlette.responses import Response

from parley.core.model.types import JsonObject
from parley.server.authentication import user_of
from parley.server.authorization import Action
from parley.server.http_errors import Problem, invalid, not_found
from parley.server.json_bodies import ApiModel, Strings
from parley.server.routes.access import permit, permitted_thread
from parley.server.routes.api_route import ApiRoute
from parley.server.routes.request_context import (
    AppState,
    app_state,
    as_uuid,
    parse_body,
    path_uuid,
    query_flag,
    query_number,
)
from parley.server.routes.responses import GraphJsonResponse, HeartbeatResponse
from parley.server.routes.run_answers import (
    BEAT,
    EVENT_HEADERS,
    await_run,
    follow_run,
    run_location,
    stream_pieces,
    thread_values,
)
from parley.server.runs.event_log import encode_sse, parse_event_id
from parley.server.runs.payload import CancelAction, RunPayload
from parley.server.runs.thread_feed import FeedPlace
from parley.server.runs.thread_queues import ActiveRun
from parley.server.storage.tables import RunRow

_THREAD_MODES = {"lifecycle", "run_modes", "state_update"}


class RunBatch(RootModel[list[RunPayload]]):
    """The body of `runs.create_batch`."""

    root: Annotated[list[RunPayload], FailFast()] = Field(min_length=1, max_length=1000)


class CancelMany(ApiModel):
    """The body of `runs.cancel_many`."""

    thread_id: str | None = None
    run_ids: Strings = Field(default_factory=list)
    status: Literal["pending", "running", "all"] | None = None


async def create(request: Request) -> Response:
    """Make a run and return at once."""
    run = await _make(request)
    return GraphJsonResponse(run.row.view(), headers=run_location(run.row))


async def batch(request: Request) -> Response:
    """Make several runs, each with a thread of its own, and return at once; all of them or none."""
    wanted = (await parse_body(request, RunBatch)).root
    runs, user = app_state(request).runs, user_of(request)
    for payload in wanted:
        await runs.check(payload)
    permitted = [(await runs.permit(None, payload, user))[0] for payload in wanted]
    made = [await runs.admit(None, payload, user=user) for payload in permitted]
    return GraphJsonResponse([run.row.view() for run in made])


async def stream(request: Request) -> HeartbeatResponse:
    """Make a run and follow its events."""
    run = await _make(request)
    return follow_run(request, run, 0, cancels=run.payload.on_disconnect == "cancel")


async def wait(request: Request) -> HeartbeatResponse:
    """Make a run and answer with its final values."""
    run = await _make(request, waited=True)
    return await_run(request, run, cancels=run.payload.on_disconnect == "cancel")


async def join_stream(request: Request) -> Response | HeartbeatResponse:
    """Follow a run's events from after Last-Event-ID, or from the first."""
    row, run = await _find(request, "read")
    if run:
        cancels = query_flag(request, "cancel_on_disconnect")
        return follow_run(request, run, parse_event_id(request.headers.get("last-event-id")), cancels=cancels)
    # Its events are gone; the state has what it said.
    end = encode_sse(parse_event_id(request.headers.get("last-event-id")) + 1, "end", {"status": row.status})
    return Response(end, media_type="text/event-stream")


async def join_thread(request: Request) -> HeartbeatResponse:
    """Follow what happens on a thread, run after run, from after Last-Event-ID, or from now on."""
    server = app_state(request)
    row = await permitted_thread(request, "read")
    named = [
        part for each in request.query_params.getlist("stream_modes") for part in each.split(",") if part
    ]
    if unknown := set(named) - _THREAD_MODES:
        raise invalid(f"stream_modes: {min(unknown)[:100]!r} is none of {', '.join(sorted(_THREAD_MODES))}.")
    place = FeedPlace.parse(request.headers.get("last-event-id"))
    pieces = server.runs.follow_thread(row.thread_id, place, named or ["run_modes"])
    return stream_pieces(server, pieces, EVENT_HEADERS, beat=BEAT)


async def join(request: Request) -> Response | HeartbeatResponse:
    """Answer with a run's final values, once it has ended."""
    row, run = await _find(request, "read")
    if run:
        run.waited = True
        return await_run(request, run, cancels=False)
    return GraphJsonResponse(await thread_values(app_state(request), row.thread_id))


async def list_of_thread(request: Request) -> Response:
    """A thread's runs, newest first."""
    threads = app_state(request).threads
    row = await permitted_thread(request, "search")
    status = request.query_params.get("status", "")
    limit, offset = query_number(request, "limit", 10), query_number(request, "offset", 0, most=10**9)
    views = [run.view() for run in await threads.tables.runs_of(row.thread_id, status, limit, offset)]
    fields = request.query_params.getlist("select")
    if fields:
        views = [{key: view[key] for key in fields if key in view} for view in views]
    return GraphJsonResponse(views)


async def get(request: Request) -> Response:
    """One run."""
    row, _ = await _find(request, "read")
    return GraphJsonResponse(row.view())


async def delete(request: Request) -> Response:
    """Forget a run that has ended."""
    row, _ = await _find(request, "delete")
    if not row.finished:
        raise Problem(409, "Run has not ended: cancel it first.")
    await app_state(request).runs.forget(row.run_id)
    return Response(status_code=204)


async def cancel(request: Request) -> Response:
    """Stop a run."""
    row, run = await _find(request, "update", action=_action(request))
    if run is None or run.done.is_set() or row.finished:
        raise not_found(f"Unfinished run {row.run_id}")
    await app_state(request).runs.lanes.cancel(run, _action(request))
    if query_flag(request, "wait"):
        await run.done.wait()
        return GraphJsonResponse({})
    return GraphJsonResponse({}, status_code=202)


async def cancel_many(request: Request) -> Response:
    """Stop several runs."""
    wanted, action = await parse_body(request, CancelMany), _action(request)
    if not (wanted.run_ids and wanted.thread_id) and wanted.status is None:
        raise invalid("Give thread_id and run_ids, or status.")
    server, lanes = app_state(request), app_state(request).runs.lanes
    thread_id = as_uuid(wanted.thread_id, "thread_id") if wanted.thread_id else None
    asked: dict[str, Any] = {"metadata": {}, "action": action}
    asked["thread_id"] = UUID(thread_id) if thread_id else None
    rule = await permit(request, "threads", "update", asked)
    runs = [run for run in await lanes.unfinished(thread_id) if _is_wanted(run, wanted)]
    runs = [run for run in runs if rule.matches(await _metadata(server, run.row))]
    if not runs:
        raise not_found("Unfinished runs")
    for run in runs:
        await lanes.cancel(run, action)
    return Response(status_code=204)


def _is_wanted(run: ActiveRun, wanted: CancelMany) -> bool:
    named = not wanted.run_ids or run.row.run_id in wanted.run_ids
    return named and wanted.status in (None, "all", run.row.status)


async def _make(request: Request, *, waited: bool = False) -> ActiveRun:
    payload = await parse_body(request, RunPayload)
    return await app_state(request).runs.create(_thread(request), payload, user_of(request), waited=waited)


async def _metadata(server: AppState, run: RunRow) -> JsonObject:
    """Return what says whose a run is: its thread's metadata, or its own where it has no thread."""
    thread = await server.threads.tables.thread(run.thread_id)
    return run.metadata if thread is None else thread.metadata


def _thread(request: Request) -> str | None:
    return path_uuid(request, "thread_id") if "thread_id" in request.path_params else None


def _action(request: Request) -> CancelAction:
    action = request.query_params.get("action", "interrupt")
    if action not in get_args(CancelAction):
        raise invalid("action must be interrupt or rollback.")
    return cast("CancelAction", action)


async def _find(request: Request, access: Action, **more: object) -> tuple[RunRow, ActiveRun | None]:
    """The run of the path, for an action: its row, and what this process still has of it."""
    server, run_id, thread_id = (
        app_state(request),
        path_uuid(request, "run_id"),
        path_uuid(request, "thread_id"),
    )
    named = {} if access == "update" else {"run_id": UUID(run_id)}
    asked = {"thread_id": UUID(thread_id), **named, **more}
    rule = await permit(request, "threads", access, asked)
    run = await server.runs.find(run_id)
    row = await server.threads.tables.run(run_id)
    if row is None and run and request.url.path.endswith(("/stream", "/join")):
        # Rolled back, or without a thread: it is no more, but who follows it shall see how it ended.
        row = run.row
    if row is None or row.thread_id != thread_id or not rule.matches(await _metadata(server, row)):
        raise not_found("Run")
    return row, run


_OF_THREAD = "/threads/{thread_id}/runs"
_ONE = _OF_THREAD + "/{run_id}"
ROUTES = [
    ApiRoute("POST", "/runs", create, body=RunPayload, answer=sdk.Run),
    ApiRoute("POST", "/runs/batch", batch, body=RunBatch, answer=list[sdk.Run]),
    ApiRoute("POST", "/runs/stream", stream, body=RunPayload, streams=True),
    ApiRoute("POST", "/runs/wait", wait, body=RunPayload, answer=dict[str, Any]),
    ApiRoute("POST", "/runs/cancel", cancel_many, body=CancelMany, query=("action",)),
    ApiRoute("GET", "/threads/{thread_id}/stream", join_thread, streams=True, query=("stream_modes",)),
    ApiRoute("POST", _OF_THREAD, create, body=RunPayload, answer=sdk.Run),
    ApiRoute(
        *("GET", _OF_THREAD, list_of_thread),
        answer=list[sdk.Run],
        query=("limit", "offset", "status", "select"),
    ),
    ApiRoute("POST", f"{_OF_THREAD}/stream", stream, body=RunPayload, streams=True),
    ApiRoute("POST", f"{_OF_THREAD}/wait", wait, body=RunPayload, answer=dict[str, Any]),
    ApiRoute("GET", _ONE, get, answer=sdk.Run),
    ApiRoute("DELETE", _ONE, delete),
    ApiRoute("GET", f"{_ONE}/stream", join_stream, streams=True, query=("cancel_on_disconnect",)),
    ApiRoute("GET", f"{_ONE}/join", join, answer=dict[str, Any]),
    ApiRoute("POST", f"{_ONE}/cancel", cancel, answer=dict[str, Any], query=("wait", "action")),
]
