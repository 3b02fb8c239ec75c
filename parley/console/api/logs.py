"""The newest lines of the log over HTTP: `/api/logs`, and `/api/support/log` for `parley doctor`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestRefused, answer_refusals
from parley.core.model.types import Json

PATH, SUPPORT_PATH = "/api/logs", "/api/support/log"
_DEFAULT = 200
_MOST = 2_000
_LONGEST_WORDS = 200


def log_route(recent: Callable[[int, str], Sequence[str]]) -> Route:
    """GET gives the newest `limit` lines (200) that have the words of `q`, such as a turn's id."""

    async def lines(request: Request) -> Response:
        limit = request.query_params.get("limit", str(_DEFAULT))
        if not (limit.isascii() and limit.isdecimal() and len(limit) <= len(str(_MOST))):
            raise RequestRefused(400, "bad_limit", f"limit is a number up to {_MOST}.")
        words = request.query_params.get("q", "")[:_LONGEST_WORDS]
        found = recent(min(int(limit), _MOST), words)
        return JSONResponse({"lines": list(found)}, headers={"cache-control": "no-store"})

    return Route(PATH, answer_refusals(lines), methods=["GET"])


def support_route(log: Callable[[], Sequence[Json]]) -> Route:
    """GET gives the last lines without what was filled into them."""

    async def lines(request: Request) -> Response:
        return JSONResponse({"lines": list(log())}, headers={"cache-control": "no-store"})

    return Route(SUPPORT_PATH, lines)
