"""The models that people may choose from, under `/api/models`: what `/models` lists on the chat page.

Whoever may use the console may use this.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestRefused, answer_refusals
from parley.core.model.errors import AgentError

PATH = "/api/models"
OfferedModels = Callable[[], Awaitable[Sequence[str]]]


def model_routes(offered: OfferedModels) -> Sequence[Route]:
    """Return the route; `offered` gives the names of this moment, or raises AgentError."""

    async def listed(request: Request) -> Response:
        try:
            names = await offered()
        except AgentError as away:
            raise RequestRefused(503, "agent_unavailable", away.user_text) from away
        return JSONResponse({"models": [{"name": name} for name in names]})

    return (Route(PATH, answer_refusals(listed), methods=["GET"]),)
