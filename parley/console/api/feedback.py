"""What people think of answers over HTTP: listed, under `/api/feedback`.

Whoever may use the console may use this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestRefused, answer_refusals
from parley.core.ports.journal import DocumentRepository
from parley.core.state.feedback import list_feedback

PATH = "/api/feedback"
MOST_LISTED = 1_000


def feedback_routes(documents: DocumentRepository) -> Sequence[Route]:
    """GET lists, newest first; `?since=` is Unix seconds, `?limit=` at most so many."""

    async def listed(request: Request) -> Response:
        since, limit = _number(request, "since", 0.0), int(_number(request, "limit", 100.0))
        found = await list_feedback(documents, since, min(max(limit, 1), MOST_LISTED))
        body = {"feedback": [asdict(each) for each in found], "most": MOST_LISTED}
        return JSONResponse(body, headers={"cache-control": "no-store"})

    return (Route(PATH, answer_refusals(listed), methods=["GET"]),)


def _number(request: Request, name: str, default: float) -> float:
    given = request.query_params.get(name, "")
    try:
        number = float(given) if given else default
    except ValueError as error:
        raise RequestRefused(422, "bad_request", f"{name}: a number is expected.") from error
    if not 0 <= number < 1e12:
        raise RequestRefused(422, "bad_request", f"{name}: a number from 0 on is expected.")
    return number
