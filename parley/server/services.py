"""What the routes work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from langgraph.store.base import BaseStore
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from parley.server.graphs import Graphs
from parley.server.options import EmbeddedOptions
from parley.server.payload import explain
from parley.server.problems import Problem, invalid
from parley.server.runs import Runs
from parley.server.threads import Threads

Asked = TypeVar("Asked", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Services:
    """One server's parts; `started_at` is the time its assistants are said to be made at."""

    options: EmbeddedOptions
    graphs: Graphs
    store: BaseStore
    threads: Threads
    runs: Runs
    started_at: float


def services(request: Request) -> Services:
    """The server that a request came to."""
    found: Any = request.app.state.services
    if not isinstance(found, Services):
        raise Problem(503, "The server is not ready.")
    return found


async def body(request: Request) -> bytes:
    """The request's JSON body. Raises Problem when it is too long or said not to be JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A web page may send a form or plain text anywhere without asking, but never this.
    if kind != "application/json":
        raise Problem(415, "Send JSON with content-type: application/json.")
    limit = services(request).options.limits.body
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > limit:
            raise Problem(413, f"The body is longer than {limit} bytes.")
    return bytes(read)


async def asked(request: Request, model: type[Asked]) -> Asked:
    """The request's body as a model. Raises Problem."""
    try:
        return model.model_validate_json(await body(request))
    except ValidationError as error:
        raise invalid(explain(error)) from error


def path_uuid(request: Request, name: str) -> str:
    """A path's parameter that must be a UUID. Raises Problem."""
    return as_uuid(request.path_params[name], name)


def as_uuid(value: str, name: str) -> str:
    """A UUID in its usual spelling. Raises Problem."""
    try:
        return str(UUID(value))
    except ValueError as error:
        raise invalid(f"Invalid {name}: must be a UUID.") from error


def number(request: Request, name: str, default: int, most: int = 1000) -> int:
    """A number in the query, at most `most`. Raises Problem."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdecimal()):
        raise invalid(f"{name} must be a number that is not negative.")
    return min(int(given[:18]), most)
