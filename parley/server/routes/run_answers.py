"""Answers about runs: their events as they come, and what they end with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from starlette.requests import Request

from parley.server.http_errors import Problem
from parley.server.routes.request_context import AppState, app_state
from parley.server.routes.responses import HeartbeatResponse, nothing
from parley.server.runs.run_attempt import with_interrupts
from parley.server.runs.thread_queues import ActiveRun
from parley.server.serialisation import dumps
from parley.server.storage.tables import RunRow
from parley.server.threads.service import CheckpointRef

EVENT_HEADERS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}
BEAT = b": heartbeat\r\n\r\n"


def run_location(row: RunRow, suffix: str = "") -> dict[str, str]:
    """Return the headers that say where a run is, and with a suffix where its client may come back to."""
    place = f"/threads/{row.thread_id}/runs/{row.run_id}"
    return {"content-location": place} | ({"location": place + suffix} if suffix else {})


def stream_pieces(
    server: AppState,
    pieces: AsyncIterator[bytes],
    headers: Mapping[str, str],
    *,
    beat: bytes,
    gone: Callable[[], Awaitable[None]] = nothing,
) -> HeartbeatResponse:
    """Answer piece by piece; `gone` is awaited when the client goes away first."""
    every, patience = server.options.heartbeat, server.options.limits.stalled
    return HeartbeatResponse(pieces, headers, beat=beat, every=every, patience=patience, gone=gone)


def follow_run(request: Request, run: ActiveRun, after: int, *, cancels: bool) -> HeartbeatResponse:
    """Answer with the events of a run with ids above `after`."""
    headers = {
        **run_location(run.row, "/stream"),
        **EVENT_HEADERS,
    }
    return _slow(request, run, run.log.follow(after), headers, beat=BEAT, cancels=cancels)


def await_run(request: Request, run: ActiveRun, *, cancels: bool) -> HeartbeatResponse:
    """Answer with a run's final values, once it has ended."""
    headers = {**run_location(run.row, "/join"), "content-type": "application/json"}
    pieces = _final_values(app_state(request), run)
    return _slow(request, run, pieces, headers, beat=b"\n", cancels=cancels)


def _slow(
    request: Request,
    run: ActiveRun,
    pieces: AsyncIterator[bytes],
    headers: dict[str, str],
    *,
    beat: bytes,
    cancels: bool,
) -> HeartbeatResponse:
    server = app_state(request)

    async def gone() -> None:
        if cancels and not run.done.is_set():
            await server.runs.lanes.cancel(run, "interrupt")

    return stream_pieces(server, pieces, headers, beat=beat, gone=gone)


async def _final_values(server: AppState, run: ActiveRun) -> AsyncIterator[bytes]:
    await run.done.wait()
    if run.error:
        yield dumps({"__error__": run.error})
    elif run.stand:
        yield dumps(run.stand.told())
    elif run.row.temporary:
        yield run.told_result or b"{}"
    else:
        yield dumps(await thread_values(server, run.row.thread_id))


async def thread_values(server: AppState, thread_id: str) -> object:
    """Return what the thread holds and asks now; a thread that was deleted meanwhile has nothing."""
    try:
        state = await server.threads.state(CheckpointRef(thread_id))
    except Problem:
        return {}
    return with_interrupts(state["values"], state["interrupts"])
