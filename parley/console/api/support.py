"""`/api/support/log`: the last lines of the log without what was filled into them, for `parley doctor`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.core.model.types import Json

PATH = "/api/support/log"


def support_routes(log: Callable[[], Sequence[Json]]) -> Sequence[Route]:
    """Return the route; whoever may use the console may use it."""

    async def lines(request: Request) -> Response:
        return JSONResponse({"lines": list(log())}, headers={"cache-control": "no-store"})

    return (Route(PATH, lines),)
