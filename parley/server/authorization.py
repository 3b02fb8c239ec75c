"""Who may do what to which resource, as the `@auth.on` handlers of an `Auth` of the LangGraph SDK say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from parley.core.model.types import Json, JsonObject
from parley.server.http_errors import Problem
from parley.server.storage.metadata_filter import ANYTHING, MetadataFilter

Resource: TypeAlias = Literal["threads", "assistants", "crons", "store"]
Action: TypeAlias = Literal[
    "create", "read", "update", "delete", "search", "create_run", "put", "get", "list_namespaces"
]


class RequestUser:
    """Somebody as handlers see them: the SDK's `BaseUser`, and whatever else was said of them."""

    def __init__(self, known: JsonObject) -> None:
        self._known = known

    @property
    def identity(self) -> str:
        """Their name in this server."""
        return str(self._known["identity"])

    @property
    def display_name(self) -> str:
        """What they are called."""
        return str(self._known.get("display_name", self.identity))

    @property
    def is_authenticated(self) -> bool:
        """Whether a handler let them in: nobody else gets here."""
        return True

    @property
    def permissions(self) -> Sequence[str]:
        """What they may do, in the handler's own words."""
        found = self._known.get("permissions")
        return [str(each) for each in found] if isinstance(found, list) else []

    def __getattr__(self, name: str) -> Json:
        if name.startswith("_") or name not in self._known:
            raise AttributeError(name)
        return self._known[name]

    def __getitem__(self, key: str) -> Json:
        return self._known[key]

    def __contains__(self, key: object) -> bool:
        return key in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)


class AccessRules:
    """Asks the most specific handler of a resource and an action; without any, everything is allowed."""

    def __init__(self, auth: Auth | None = None) -> None:
        self._handlers: Mapping[tuple[str, str], Sequence[Any]] = auth._handlers if auth else {}  # noqa: SLF001
        self._for_all: Sequence[Any] = auth._global_handlers if auth else ()  # noqa: SLF001

    def __bool__(self) -> bool:
        return bool(self._handlers or self._for_all)

    async def ask(
        self, user: JsonObject, resource: Resource, action: Action, value: dict[str, Any]
    ) -> MetadataFilter:
        """Return which metadata a resource must have that this is done to; a handler may change `value`.

        Raises Problem where it is refused.
        """
        handler = self._handler(resource, action)
        if handler is None:
            return ANYTHING
        who = RequestUser(user)
        context: Any = Auth.types.AuthContext(who.permissions, who, resource, action)
        try:
            said = await handler(ctx=context, value=value)
        except (Auth.exceptions.HTTPException, HTTPException) as error:
            raise Problem(error.status_code, str(error.detail)) from error
        except AssertionError as error:
            raise Problem(403, str(error) or "Forbidden") from error
        if said is None or said is True:
            return ANYTHING
        if said is False:
            raise Problem(403, f"{resource}.{action}: forbidden.")
        return _filter(f"@auth.on.{resource}.{action}", said, takes_filters=resource != "store")

    def _handler(self, resource: str, action: str) -> Any | None:  # noqa: ANN401 - the SDK's type is Callable[..., ...]
        for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
            if found := self._handlers.get(key):
                return found[-1]
        return self._for_all[-1] if self._for_all else None


NO_RULES = AccessRules()
"""Whoever is let in may do everything."""


def _filter(place: str, said: object, *, takes_filters: bool) -> MetadataFilter:
    """Return what a handler answered as a filter. Raises Problem: what is not understood is not allowed."""
    if not isinstance(said, Mapping):
        raise Problem(500, f"{place}: returns {type(said).__name__}; must be None, a bool or a filter.")
    if not takes_filters:
        raise Problem(403, f"{place}: items have no filter; change value['namespace'] instead.")
    equal: list[tuple[str, Any]] = []
    contains: list[tuple[str, Any]] = []
    for key, wanted in said.items():
        operators = wanted if isinstance(wanted, Mapping) else {"$eq": wanted}
        for operator, each in operators.items():
            if operator == "$eq":
                equal.append((str(key), each))
            elif operator == "$contains":
                contains += [(str(key), one) for one in (each if isinstance(each, list | tuple) else [each])]
            else:
                raise Problem(500, f"{place}: {operator!r} is unknown; write $eq or $contains.")
    return MetadataFilter(tuple(equal), tuple(contains))
