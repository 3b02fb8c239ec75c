"""Refusals that a client of the server sees."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse

NOT_FOUND = 404


class Problem(Exception):
    """A request that is answered with an HTTP status and one sentence."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def not_found(what: str) -> Problem:
    """The 404 for a thing that is not there."""
    return Problem(NOT_FOUND, f"{what} not found.")


def invalid(detail: str) -> Problem:
    """The 422 for a request that can never work."""
    return Problem(422, detail)


async def answer_problem(_: Request, problem: Exception) -> JSONResponse:
    """Starlette's handler for `Problem`."""
    assert isinstance(problem, Problem)  # noqa: S101 - registered for Problem only
    return JSONResponse({"detail": problem.detail}, problem.status)
