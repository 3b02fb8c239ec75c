"""About the server: whether it is up, what it is, what it can do, and how much it does."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from parley.server.routes.api_route import ApiRoute
from parley.server.routes.openapi import PAGE_POLICY, ApiDescription
from parley.server.routes.request_context import app_state
from parley.version import VERSION


async def ok(_: Request) -> Response:
    """Whether the server is up."""
    return JSONResponse({"ok": True})


async def info(request: Request) -> Response:
    """Who serves, and what it can do beyond the protocol's minimum."""
    return JSONResponse(
        {
            "server": "parley-embedded",
            "version": VERSION,
            "langgraph_py_version": version("langgraph"),
            "flags": {"assistants": True, "crons": True, "langsmith": False},
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


async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    # Most servers are never asked, and Prometheus's client takes some memory.
    from parley.server.routes.run_metrics import render_metrics

    body, kind = render_metrics(app_state(request).runs)
    return Response(body, headers={"content-type": kind})


async def openapi(request: Request) -> Response:
    """This description, as OpenAPI."""
    return Response((await _description(request)).document, media_type="application/json")


async def docs(request: Request) -> Response:
    """This description, as a page."""
    page = (await _description(request)).page
    return HTMLResponse(page, headers={"content-security-policy": PAGE_POLICY})


async def _description(request: Request) -> ApiDescription:
    # It takes half a second, and is rarely asked for: made at the first request, and nobody waits meanwhile.
    state = request.app.state
    if not hasattr(state, "description"):
        routes = [route for route in request.app.routes if isinstance(route, ApiRoute)]
        state.description = asyncio.ensure_future(asyncio.to_thread(ApiDescription.of, routes))
    found: ApiDescription = await asyncio.shield(state.description)
    return found


ROUTES = [
    ApiRoute("GET", "/ok", ok, answer=dict[str, bool]),
    ApiRoute("GET", "/info", info, answer=dict[str, Any]),
    ApiRoute("GET", "/models", models, answer=dict[str, Any]),
    ApiRoute("GET", "/metrics", metrics),
    ApiRoute("GET", "/openapi.json", openapi, answer=dict[str, Any]),
    ApiRoute("GET", "/docs", docs),
]
