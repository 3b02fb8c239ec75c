"""Who asks, as an `Auth` handler of the LangGraph SDK says: it takes the place of the one key for all."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any, cast

from langgraph_sdk import Auth
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.core.model.errors import ConfigError
from parley.core.model.types import JsonObject
from parley.server.api_key import OPEN_PATHS
from parley.server.serialisation import to_json_value

_USER = "parley.agent_user"
_RESERVED = (
    "thread_id",
    "run_id",
    "graph_id",
    "assistant_id",
    "checkpoint_id",
    "checkpoint_ns",
    "checkpoint_map",
)
_WHO = "langgraph_auth_"
_KNOWN = ("identity", "display_name", "is_authenticated", "permissions")


def check_auth(place: str, auth: object) -> Auth:
    """Return the handlers that somebody wrote. Raises ConfigError for what would not be done."""
    if not isinstance(auth, Auth):
        raise ConfigError(f"{place}: must be an Auth of langgraph_sdk, not {type(auth).__name__}")
    if auth._authenticate_handler is None:  # noqa: SLF001 - the SDK has no other way to ask
        raise ConfigError(f"{place}: has no function for @auth.authenticate")
    return auth


class AuthMiddleware:
    """Lets through whom the handler lets in, and notes who it is."""

    def __init__(self, app: ASGIApp, auth: Auth) -> None:
        self._app = app
        handler: Any = auth._authenticate_handler  # noqa: SLF001
        self._handler = handler
        self._wanted = frozenset(inspect.signature(handler).parameters)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS:
            try:
                scope[_USER] = describe_user(await self._ask(scope))
            except Auth.exceptions.HTTPException as error:
                headers = dict(error.headers or {})
                refusal = JSONResponse({"detail": error.detail}, error.status_code, headers)
                await refusal(scope, receive, send)
                return
            except AssertionError as error:
                await JSONResponse({"detail": str(error) or "Unauthorized"}, 401)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _ask(self, scope: Scope) -> object:
        request = Request(scope)
        offered: dict[str, object] = {
            "request": request,
            "path": scope["path"],
            "method": scope["method"],
            "path_params": {},
            "query_params": dict(request.query_params),
            "headers": dict(scope["headers"]),
            "authorization": request.headers.get("authorization"),
            "scope": scope,
        }
        given = {name: value for name, value in offered.items() if name in self._wanted}
        if inspect.iscoroutinefunction(self._handler):
            return await self._handler(**given)
        return await asyncio.to_thread(self._handler, **given)


def describe_user(found: object) -> JsonObject:
    """Return who somebody is as JSON: from a name, a record, or an object of the SDK's protocol."""
    if isinstance(found, str):
        found = {"identity": found}
    if not isinstance(found, Mapping):
        found = {name: getattr(found, name) for name in _KNOWN if hasattr(found, name)}
    identity = str(found.get("identity") or "")
    if not identity or not found.get("is_authenticated", True):
        raise Auth.exceptions.HTTPException(status_code=401, detail="nobody was named")
    known = {"display_name": identity, "is_authenticated": True, "permissions": []}
    return cast("JsonObject", to_json_value({**known, **found, "identity": identity}))


def user_of(request: Request) -> JsonObject:
    """Return who makes a request; nothing where nobody is asked for."""
    return cast("JsonObject", request.scope.get(_USER, {}))


def graph_values(user: JsonObject) -> JsonObject:
    """Return what a graph finds in its configuration about who made its run."""
    if not user:
        return {}
    return {
        "langgraph_auth_user": dict(user),
        "langgraph_auth_user_id": user["identity"],
        "langgraph_auth_permissions": user.get("permissions", []),
    }


def without_identity(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values without those that say who asks, which only the server may set."""
    return {key: value for key, value in values.items() if not key.startswith(_WHO)}


def configurable_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what clients may set of a graph's `configurable`: nothing that names the run or who asks."""
    allowed = without_identity(values).items()
    return {key: value for key, value in allowed if key not in _RESERVED and not key.startswith("__")}
