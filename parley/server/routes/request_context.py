"""What the routes work with."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.store.base import BaseStore
from starlette.requests import Request

from parley.server.assistants.service import AssistantService
from parley.server.authorization import AccessRules
from parley.server.crons.service import CronService
from parley.server.graphs.registry import GraphRegistry
from parley.server.http_errors import Problem, invalid
from parley.server.json_bodies import BodyModel, parse_model
from parley.server.options import EmbeddedOptions
from parley.server.routes.mcp import AssistantTools
from parley.server.runs.manager import RunManager
from parley.server.threads.service import ThreadService

if TYPE_CHECKING:  # what is off loads nothing
    from parley.server.workspace.workspaces import Workspaces


@dataclass(frozen=True, slots=True)
class AppState:
    """One server's parts; `closing` has what ends with the server."""

    options: EmbeddedOptions
    graphs: GraphRegistry
    assistants: AssistantService
    store: BaseStore
    threads: ThreadService
    runs: RunManager
    crons: CronService
    tools: AssistantTools
    rules: AccessRules
    closing: AsyncExitStack

    @property
    def workspaces(self) -> Workspaces | None:
        """The folders of files that threads have, where they have any."""
        return self.options.default_agent.workspaces


def app_state(request: Request) -> AppState:
    """The server that a request came to."""
    found: Any = request.app.state.services
    if not isinstance(found, AppState):
        raise Problem(503, "The server is not ready.")
    return found


async def read_json_body(request: Request) -> bytes:
    """The request's JSON body. Raises Problem when it is too long or said not to be JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A web page may send a form or plain text anywhere without asking, but never this.
    if kind != "application/json":
        raise Problem(415, "Send JSON with content-type: application/json.")
    limit = app_state(request).options.limits.body
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > limit:
            raise Problem(413, f"The body is longer than {limit} bytes.")
    return bytes(read)


async def parse_body(request: Request, model: type[BodyModel]) -> BodyModel:
    """The request's body as a model. Raises Problem."""
    return parse_model(model, await read_json_body(request))


def path_uuid(request: Request, name: str) -> str:
    """A path's parameter that must be a UUID. Raises Problem."""
    return as_uuid(request.path_params[name], name)


def as_uuid(value: str, name: str) -> str:
    """A UUID in its usual spelling. Raises Problem."""
    try:
        return str(UUID(value))
    except ValueError as error:
        raise invalid(f"Invalid {name}: must be a UUID.") from error


def query_flag(request: Request, name: str) -> bool:
    """Whether the query says yes to something."""
    return request.query_params.get(name, "").lower() in ("1", "true")


def query_number(request: Request, name: str, default: int, most: int = 1000) -> int:
    """A number in the query, at most `most`. Raises Problem."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdecimal()):
        raise invalid(f"{name} must be a number that is not negative.")
    return min(int(given[:18]), most)
