"""A route that says what it takes and what it answers, for the description of the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pydantic import BaseModel
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp

Endpoint: TypeAlias = Callable[[Request], Awaitable[ASGIApp]]


class ApiRoute(Route):
    """One method at one path.

    `body` is the model of what it takes, `answer` the type of its JSON (None for an answer without any), and
    `query` names the parameters that it reads. With `streams` the answer is a stream of events.
    """

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Endpoint,
        *,
        body: type[BaseModel] | None = None,
        answer: object = None,
        query: tuple[str, ...] = (),
        streams: bool = False,
    ) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method, self.body, self.answer = method, body, answer
        self.query, self.streams = query, streams
