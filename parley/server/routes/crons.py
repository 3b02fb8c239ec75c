"""Crons: made, changed, looked at and forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Literal
from uuid import UUID

from langgraph_sdk import schema as sdk
from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from parley.server.authentication import user_of
from parley.server.crons.service import CronChange
from parley.server.http_errors import invalid
from parley.server.json_bodies import ApiModel, Offset, Strings
from parley.server.routes.access import permit, permitted_cron, permitted_thread
from parley.server.routes.api_route import ApiRoute
from parley.server.routes.request_context import app_state, parse_body, path_uuid
from parley.server.routes.responses import GraphJsonResponse
from parley.server.storage.cron_rows import CronRow

_EARLIEST, _LATEST = 1970, 9000


class CronUpdate(ApiModel):
    """The body of `crons.update`; whatever else it has is what the runs are asked."""

    model_config = ConfigDict(extra="allow")

    schedule: str | None = None
    timezone: str | None = None
    end_time: datetime | None = None
    enabled: bool | None = None
    on_run_completed: Literal["delete", "keep"] | None = None
    metadata: dict[str, Any] | None = None

    def change(self) -> CronChange:
        """As the service takes it."""
        end, named = self.end_time, "end_time" in self.model_fields_set
        if end is not None and end.tzinfo is None:
            end = end.replace(tzinfo=UTC)
        if end is not None and not _EARLIEST <= end.year <= _LATEST:
            raise invalid(f"end_time: must be in a year from {_EARLIEST} to {_LATEST}.")
        return CronChange(
            self.schedule,
            self.timezone,
            None if end is None else end.timestamp(),
            named and end is None,
            self.enabled,
            self.on_run_completed,
            self.metadata,
            dict(self.model_extra or {}),
        )


class CronCreate(CronUpdate):
    """The body of `crons.create`."""

    assistant_id: str
    schedule: str


class CronSearch(ApiModel):
    """The body of `crons.search` and `crons.count`."""

    assistant_id: str | None = None
    thread_id: str | None = None
    enabled: bool | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    limit: int = Field(default=10, ge=1, le=1000)
    offset: Offset = 0
    sort_by: Literal["cron_id", "assistant_id", "created_at", "updated_at", "next_run_date"] = "created_at"
    sort_order: Literal["asc", "desc"] = "desc"
    select: Strings | None = None

    def matches(self, row: CronRow) -> bool:
        """Whether a cron is one of them."""
        wanted = {"assistant_id": self.assistant_id, "thread_id": self.thread_id, "enabled": self.enabled}
        same = all(value in (None, getattr(row, name)) for name, value in wanted.items())
        return same and all(row.metadata.get(key) == value for key, value in self.metadata.items())

    def page(self, rows: list[CronRow]) -> list[dict[str, object]]:
        """The part of them that is asked for, in its order."""
        name = "next_run" if self.sort_by == "next_run_date" else self.sort_by
        get = attrgetter(name)
        rows = sorted(
            rows, key=lambda row: (get(row) is None, get(row) or 0), reverse=self.sort_order == "desc"
        )
        views = [row.view() for row in rows[self.offset : self.offset + self.limit]]
        if self.select is None:
            return views
        return [{key: view[key] for key in self.select if key in view} for view in views]


async def create(request: Request) -> Response:
    """Make a cron, of a thread or with a new thread for each run."""
    wanted = await parse_body(request, CronCreate)
    thread_id = path_uuid(request, "thread_id") if "thread_id" in request.path_params else None
    server, user = app_state(request), user_of(request)
    asked = _value(wanted) | {"thread_id": UUID(thread_id) if thread_id else None}
    asked |= {"cron_id": None, "user_id": user.get("identity"), "end_time": wanted.end_time}
    await permit(request, "crons", "create", asked)
    await server.runs.permit_assistant(await server.assistants.look_up(wanted.assistant_id), user)
    if thread_id is not None:
        await permitted_thread(request, "create_run", {"metadata": {}})
    change = replace(wanted.change(), metadata=asked.get("metadata"))
    row = await server.crons.create(thread_id, wanted.assistant_id, change, user)
    return GraphJsonResponse(row.view())


async def search(request: Request) -> Response:
    """Crons that match."""
    wanted = await parse_body(request, CronSearch)
    return GraphJsonResponse(wanted.page(await _found(request, wanted)))


async def count(request: Request) -> Response:
    """How many crons match."""
    wanted = await parse_body(request, CronSearch)
    return GraphJsonResponse(len(await _found(request, wanted)))


async def get(request: Request) -> Response:
    """One cron."""
    return GraphJsonResponse((await permitted_cron(request, "read")).view())


async def update(request: Request) -> Response:
    """Change a cron."""
    wanted = await parse_body(request, CronUpdate)
    asked = _value(wanted)
    permitted = await permitted_cron(request, "update", asked)
    change = replace(wanted.change(), metadata=asked.get("metadata") or None)
    row = await app_state(request).crons.update(permitted.cron_id, change)
    return GraphJsonResponse(row.view())


async def delete(request: Request) -> Response:
    """Forget a cron."""
    row = await permitted_cron(request, "delete")
    await app_state(request).crons.delete(row.cron_id)
    return Response(status_code=204)


async def _found(request: Request, wanted: CronSearch) -> list[CronRow]:
    asked = wanted.model_dump(include={"assistant_id", "thread_id", "limit", "offset"})
    rule = await permit(request, "crons", "search", asked)
    found = await app_state(request).crons.search(wanted.matches)
    return [row for row in found if rule.matches(row.metadata)]


def _value(wanted: CronUpdate) -> dict[str, Any]:
    """Return what is set, as handlers see it."""
    return {
        "schedule": wanted.schedule,
        "payload": dict(wanted.model_extra or {}),
        "metadata": dict(wanted.metadata or {}),
    }


_ONE = "/runs/crons/{cron_id}"
ROUTES = [
    ApiRoute("POST", "/runs/crons", create, body=CronCreate, answer=sdk.Cron),
    ApiRoute("POST", "/threads/{thread_id}/runs/crons", create, body=CronCreate, answer=sdk.Cron),
    ApiRoute("POST", "/runs/crons/search", search, body=CronSearch, answer=list[sdk.Cron]),
    ApiRoute("POST", "/runs/crons/count", count, body=CronSearch, answer=int),
    ApiRoute("GET", _ONE, get, answer=sdk.Cron),
    ApiRoute("PATCH", _ONE, update, body=CronUpdate, answer=sdk.Cron),
    ApiRoute("DELETE", _ONE, delete),
]
