"""Assistants: made, changed, looked at and forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, cast
from uuid import UUID

from langgraph_sdk import schema as sdk
from pydantic import Field, field_validator
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from parley.server.assistants.service import AssistantChange, AssistantQuery, matching_metadata
from parley.server.http_errors import Problem, invalid
from parley.server.json_bodies import ApiModel, Offset, Strings, validate_model
from parley.server.routes.access import permit, permitted_assistant
from parley.server.routes.api_route import ApiRoute
from parley.server.routes.request_context import app_state, as_uuid, parse_body, query_flag
from parley.server.routes.responses import GraphJsonResponse
from parley.server.runs.payload import ConfigPayload
from parley.server.storage.assistant_rows import AssistantRow
from parley.server.storage.metadata_filter import ANYTHING
from parley.server.storage.tables import ThreadQuery

_PAGE = 1000


class AssistantUpdate(ApiModel):
    """The body of `assistants.update`."""

    graph_id: str | None = None
    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    name: str | None = Field(default=None, max_length=200)
    description: str | None = Field(default=None, max_length=10_000)

    @field_validator("config", mode="after")
    @classmethod
    def _can_run(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        validate_model(ConfigPayload, value or {})
        return value

    def change(self) -> AssistantChange:
        """As the service takes it."""
        return AssistantChange(
            self.graph_id, self.name, self.description, self.config, self.context, self.metadata
        )


class AssistantCreate(AssistantUpdate):
    """The body of `assistants.create`."""

    graph_id: str
    assistant_id: str | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"


class AssistantSearch(ApiModel):
    """The body of `assistants.search` and `assistants.count`."""

    graph_id: str | None = None
    name: str | None = None
    metadata: dict[str, Any] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: Offset = 0
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] = "created_at"
    sort_order: Literal["asc", "desc"] | None = None
    select: Strings | None = None

    def query(self) -> AssistantQuery:
        """As the service takes it."""
        descending = (self.sort_order or "desc") == "desc"
        graph, name, metadata = self.graph_id or "", self.name or "", self.metadata or {}
        return AssistantQuery(graph, name, metadata, self.limit, self.offset, self.sort_by, descending)


class VersionSearch(ApiModel):
    """The body of `assistants.get_versions`."""

    metadata: dict[str, Any] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: Offset = 0


class VersionChoice(ApiModel):
    """The body of `assistants.set_latest`."""

    version: int = Field(ge=1)


class AssistantAnswer(ApiModel):
    """An assistant, or one of its versions."""

    assistant_id: str
    graph_id: str
    name: str
    description: str | None
    config: dict[str, Any]
    context: dict[str, Any]
    metadata: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


async def create(request: Request) -> Response:
    """Make an assistant of a graph."""
    wanted = await parse_body(request, AssistantCreate)
    identity = as_uuid(wanted.assistant_id, "assistant_id") if wanted.assistant_id else None
    service = app_state(request).assistants
    asked = _value(wanted) | {"if_exists": wanted.if_exists}
    asked["assistant_id"] = UUID(identity) if identity else None
    rule = await permit(request, "assistants", "create", asked)
    change = replace(wanted.change(), metadata=asked.get("metadata"))
    keep = wanted.if_exists == "do_nothing"
    row = await service.create(identity, change, keep=keep)
    if keep and not rule.matches(row.metadata):
        raise Problem(409, "Assistant already exists.")
    return GraphJsonResponse(row.view())


async def search(request: Request) -> Response:
    """Assistants that match."""
    wanted = await parse_body(request, AssistantSearch)
    found = await _found(request, wanted)
    until = wanted.offset + wanted.limit
    views = [_selected(row.view(), wanted.select) for row in found[wanted.offset : until]]
    return GraphJsonResponse(views, headers={"x-pagination-next": str(until)} if until < len(found) else {})


async def count(request: Request) -> Response:
    """How many assistants match."""
    wanted = await parse_body(request, AssistantSearch)
    return JSONResponse(len(await _found(request, wanted)))


async def get(request: Request) -> Response:
    """One assistant, by its id or its graph's name."""
    return GraphJsonResponse((await permitted_assistant(request, "read")).view())


async def update(request: Request) -> Response:
    """Make a new version of an assistant."""
    wanted = await parse_body(request, AssistantUpdate)
    asked = _value(wanted)
    row = await permitted_assistant(request, "update", asked)
    change = replace(wanted.change(), metadata=asked.get("metadata"))
    return GraphJsonResponse((await app_state(request).assistants.update(row.assistant_id, change)).view())


async def delete(request: Request) -> Response:
    """Forget an assistant, and with `delete_threads` its threads."""
    server = app_state(request)
    permitted = await permitted_assistant(request, "delete")
    threads = query_flag(request, "delete_threads")
    rule = await permit(request, "threads", "delete", {"thread_id": None}) if threads else ANYTHING
    row = await server.assistants.delete(permitted.assistant_id)
    if threads:
        query = ThreadQuery({"assistant_id": row.assistant_id}, limit=_PAGE, rule=rule)
        while found := await server.threads.tables.search_threads(query):
            for thread in found:
                await server.threads.delete(thread.thread_id)
    return Response(status_code=204)


async def versions(request: Request) -> Response:
    """The versions of an assistant, newest first."""
    wanted = await parse_body(request, VersionSearch)
    row = await permitted_assistant(request, "read", {"metadata": wanted.metadata or {}})
    found = matching_metadata(
        await app_state(request).assistants.versions(row.assistant_id), wanted.metadata or {}
    )
    return GraphJsonResponse([row.view() for row in found[wanted.offset : wanted.offset + wanted.limit]])


async def set_latest(request: Request) -> Response:
    """Put a version of an assistant in effect."""
    wanted = await parse_body(request, VersionChoice)
    permitted = await permitted_assistant(request, "update", {"version": wanted.version})
    row = await app_state(request).assistants.set_latest(permitted.assistant_id, wanted.version)
    return GraphJsonResponse(row.view())


async def schemas(request: Request) -> Response:
    """What an assistant's graph takes, holds and gives, as JSON schemas."""
    row = await permitted_assistant(request, "read")
    return JSONResponse(await app_state(request).assistants.schemas(row.assistant_id))


async def drawing(request: Request) -> Response:
    """The nodes and edges of an assistant's graph."""
    given = request.query_params.get("xray", "").lower()
    if given not in ("", "true", "false") and not (given.isascii() and given.isdecimal() and len(given) < 3):
        raise invalid("xray must be true, false, or how deep to look.")
    depth = int(given) if given.isdecimal() else given == "true"
    row = await permitted_assistant(request, "read")
    return JSONResponse(await app_state(request).assistants.drawing(row.assistant_id, depth=depth))


async def subgraphs(request: Request) -> Response:
    """The schemas of graphs within an assistant's graph."""
    namespace = cast("str | None", request.path_params.get("namespace"))
    service = app_state(request).assistants
    row = await permitted_assistant(request, "read")
    found = await service.subgraphs(row.assistant_id, namespace, recurse=query_flag(request, "recurse"))
    return JSONResponse(found)


async def _found(request: Request, wanted: AssistantSearch) -> list[AssistantRow]:
    asked: dict[str, Any] = {"graph_id": wanted.graph_id, "metadata": wanted.metadata or {}}
    asked |= {"limit": wanted.limit, "offset": wanted.offset}
    rule = await permit(request, "assistants", "search", asked)
    return app_state(request).assistants.search(replace(wanted.query(), rule=rule))


def _value(wanted: AssistantUpdate) -> dict[str, Any]:
    """Return what is set, as handlers see it."""
    asked = wanted.model_dump(include={"graph_id", "config", "context", "name"})
    return asked | {"metadata": dict(wanted.metadata or {})}


def _selected(view: dict[str, object], select: Strings | None) -> dict[str, object]:
    return view if select is None else {key: view[key] for key in select if key in view}


_ONE = "/assistants/{assistant_id}"
ROUTES = [
    ApiRoute("POST", "/assistants", create, body=AssistantCreate, answer=AssistantAnswer),
    ApiRoute("POST", "/assistants/search", search, body=AssistantSearch, answer=list[AssistantAnswer]),
    ApiRoute("POST", "/assistants/count", count, body=AssistantSearch, answer=int),
    ApiRoute("GET", _ONE, get, answer=AssistantAnswer),
    ApiRoute("PATCH", _ONE, update, body=AssistantUpdate, answer=AssistantAnswer),
    ApiRoute("DELETE", _ONE, delete, query=("delete_threads",)),
    ApiRoute("POST", f"{_ONE}/versions", versions, body=VersionSearch, answer=list[AssistantAnswer]),
    ApiRoute("POST", f"{_ONE}/latest", set_latest, body=VersionChoice, answer=AssistantAnswer),
    ApiRoute("GET", f"{_ONE}/schemas", schemas, answer=sdk.GraphSchema),
    ApiRoute("GET", f"{_ONE}/graph", drawing, answer=dict[str, Any], query=("xray",)),
    ApiRoute("GET", f"{_ONE}/subgraphs", subgraphs, answer=sdk.Subgraphs, query=("recurse",)),
    ApiRoute("GET", _ONE + "/subgraphs/{namespace}", subgraphs, answer=sdk.Subgraphs, query=("recurse",)),
]
