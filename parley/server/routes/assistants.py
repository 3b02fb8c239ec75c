"""Health, and one assistant for every graph."""

from __future__ import annotations

from importlib.metadata import version

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.server.assistant_ids import assistant_id
from parley.server.graphs.schemas import describe_schema
from parley.server.http_errors import not_found
from parley.server.routes.request_context import AppState, app_state, parse_body
from parley.server.storage.tables import timestamp


class AssistantSearch(BaseModel):
    """The body of `assistants.search` and `assistants.count`."""

    graph_id: str | None = None
    name: str | None = None
    metadata: dict[str, object] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


async def ok(_: Request) -> Response:
    """Whether the server is up."""
    return JSONResponse({"ok": True})


async def info(request: Request) -> Response:
    """Who serves, and what it can do beyond the protocol's minimum."""
    return JSONResponse(
        {
            "server": "parley-embedded",
            "langgraph_py_version": version("langgraph"),
            "flags": {"assistants": True, "crons": False, "langsmith": False},
            "capabilities": {
                "end_event": True,
                "resumable": True,
                "rejects_busy": True,
                "uuid_threads": True,
            },
            "graphs": list(app_state(request).graphs.names),
        }
    )


async def models(request: Request) -> Response:
    """The models that a run's context may name in `model_name`."""
    names = [model.name for model in app_state(request).options.models]
    return JSONResponse({"models": [{"name": name} for name in names]})


async def search(request: Request) -> Response:
    """Assistants that match."""
    query = await parse_body(request, AssistantSearch)
    found = _matching(app_state(request), query)
    return JSONResponse(found[query.offset : query.offset + query.limit])


async def count(request: Request) -> Response:
    """How many match."""
    return JSONResponse(len(_matching(app_state(request), await parse_body(request, AssistantSearch))))


async def get(request: Request) -> Response:
    """One assistant, by its id or its graph's name."""
    server = app_state(request)
    name = server.graphs.resolve(request.path_params["assistant"])
    if name is None:
        raise not_found("Assistant")
    return JSONResponse(_view(server, name))


async def schemas(request: Request) -> Response:
    """What an assistant's graph takes, holds and gives, as JSON schemas."""
    server = app_state(request)
    name = server.graphs.resolve(request.path_params["assistant"])
    if name is None:
        raise not_found("Assistant")
    async with server.graphs.open(name, {}, "assistants.read") as graph:
        built = getattr(graph, "builder", None)
        taken, given = getattr(built, "input_schema", None), getattr(built, "output_schema", None)
        return JSONResponse(
            {
                "graph_id": name,
                "input_schema": describe_schema(graph.get_input_jsonschema, taken),
                "output_schema": describe_schema(graph.get_output_jsonschema, given),
                "context_schema": describe_schema(graph.get_context_jsonschema, graph.context_schema),
            }
        )


async def drawing(request: Request) -> Response:
    """The nodes and edges of an assistant's graph."""
    server = app_state(request)
    name = server.graphs.resolve(request.path_params["assistant"])
    if name is None:
        raise not_found("Assistant")
    async with server.graphs.open(name, {}, "assistants.read") as graph:
        return JSONResponse((await graph.aget_graph()).to_json())


def _matching(server: AppState, query: AssistantSearch) -> list[dict[str, object]]:
    views = [_view(server, name) for name in server.graphs.names]
    wanted = {"graph_id": query.graph_id, "name": query.name}
    return [
        view
        for view in views
        if all(value in (None, view[key]) for key, value in wanted.items())
        and (query.metadata or {}).items() <= {"created_by": "system"}.items()
    ]


def _view(server: AppState, name: str) -> dict[str, object]:
    at = timestamp(server.started_at)
    return {
        "assistant_id": assistant_id(name),
        "graph_id": name,
        "name": name,
        "description": None,
        "config": {},
        "context": {},
        "metadata": {"created_by": "system"},
        "version": 1,
        "created_at": at,
        "updated_at": at,
    }


ROUTES = [
    Route("/ok", ok, methods=["GET"]),
    Route("/info", info, methods=["GET"]),
    Route("/models", models, methods=["GET"]),
    Route("/assistants/search", search, methods=["POST"]),
    Route("/assistants/count", count, methods=["POST"]),
    Route("/assistants/{assistant}", get, methods=["GET"]),
    Route("/assistants/{assistant}/schemas", schemas, methods=["GET"]),
    Route("/assistants/{assistant}/graph", drawing, methods=["GET"]),
]
