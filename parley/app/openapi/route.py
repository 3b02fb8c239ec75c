"""The route of the OpenAPI document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PATH = "/api/openapi.json"


def openapi_routes() -> Sequence[Route]:
    """Return the route of the document, which is built when it is first asked for."""
    return (Route(PATH, _document, methods=["GET"]),)


async def _document(request: Request) -> Response:
    return Response(await asyncio.to_thread(_render), media_type="application/json")


def _render() -> str:
    # It is rarely asked for, and its types take half a megabyte.
    from parley.app.openapi.document import render_document

    return render_document()
