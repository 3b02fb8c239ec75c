"""The store: items by namespace and key, shared by all threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from langgraph.store.base import Item
from langgraph_sdk import schema as sdk
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from parley.server.http_errors import invalid
from parley.server.json_bodies import ApiModel, Offset, Strings
from parley.server.routes.access import permit
from parley.server.routes.api_route import ApiRoute
from parley.server.routes.request_context import app_state, parse_body
from parley.server.routes.responses import GraphJsonResponse

_LONGEST_REFUSAL = 500


class ItemKey(ApiModel):
    """Names an item."""

    namespace: Strings = Field(default_factory=list)
    key: str


class ItemPut(ItemKey):
    """The body of `store.put_item`."""

    value: dict[str, Any]
    index: Literal[False] | Strings | None = None
    ttl: None = None


class ItemSearch(ApiModel):
    """The body of `store.search_items`."""

    namespace_prefix: Strings = Field(default_factory=list)
    filter: dict[str, Any] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: Offset = 0
    query: str | None = None


class NamespaceSearch(ApiModel):
    """The body of `store.list_namespaces`."""

    prefix: Strings | None = None
    suffix: Strings | None = None
    max_depth: int | None = Field(default=None, ge=1, le=1000)
    limit: int = Field(default=100, ge=1, le=1000)
    offset: Offset = 0


async def put(request: Request) -> Response:
    """Write an item."""
    item = await parse_body(request, ItemPut)
    asked = {"namespace": tuple(item.namespace), "key": item.key, "value": item.value, "index": item.index}
    await permit(request, "store", "put", asked)
    with _refusals():
        await app_state(request).store.aput(_namespace(asked), item.key, item.value, index=item.index)
    return Response(status_code=204)


async def get(request: Request) -> Response:
    """Read an item; null when there is none."""
    namespace = tuple(part for part in request.query_params.get("namespace", "").split(".") if part)
    asked: dict[str, Any] = {"namespace": namespace, "key": request.query_params.get("key", "")}
    await permit(request, "store", "get", asked)
    with _refusals():
        item = await app_state(request).store.aget(_namespace(asked), asked["key"])
    return GraphJsonResponse(_view(item) if item else None)


async def delete(request: Request) -> Response:
    """Forget an item; absent is no error."""
    item = await parse_body(request, ItemKey)
    asked: dict[str, Any] = {"namespace": tuple(item.namespace), "key": item.key}
    await permit(request, "store", "delete", asked)
    with _refusals():
        await app_state(request).store.adelete(_namespace(asked), item.key)
    return Response(status_code=204)


async def search(request: Request) -> Response:
    """Items below a namespace whose values have what the filter says, nearest to the query first."""
    wanted = await parse_body(request, ItemSearch)
    asked = wanted.model_dump(include={"filter", "limit", "offset", "query"})
    asked["namespace"] = tuple(wanted.namespace_prefix)
    await permit(request, "store", "search", asked)
    with _refusals():
        found = await app_state(request).store.asearch(
            _namespace(asked),
            query=wanted.query,
            filter=wanted.filter,
            limit=wanted.limit,
            offset=wanted.offset,
        )
    return GraphJsonResponse({"items": [{**_view(item), "score": item.score} for item in found]})


async def namespaces(request: Request) -> Response:
    """Namespaces that have items."""
    wanted = await parse_body(request, NamespaceSearch)
    asked = wanted.model_dump(include={"max_depth", "limit", "offset"})
    asked |= {"namespace": tuple(wanted.prefix or ()) or None, "suffix": tuple(wanted.suffix or ()) or None}
    await permit(request, "store", "list_namespaces", asked)
    with _refusals():
        found = await app_state(request).store.alist_namespaces(
            prefix=_namespace(asked) or None,
            suffix=tuple(wanted.suffix or ()) or None,
            max_depth=wanted.max_depth,
            limit=wanted.limit,
            offset=wanted.offset,
        )
    return GraphJsonResponse({"namespaces": found})


def _namespace(asked: dict[str, Any]) -> tuple[str, ...]:
    """Return where an item is, as a handler left it."""
    return tuple(str(part) for part in asked.get("namespace") or ())


@contextmanager
def _refusals() -> Iterator[None]:
    """Tell a client what the library does not take: a namespace, a filter's key or its operator."""
    try:
        yield
    except ValueError as error:
        raise invalid(str(error)[:_LONGEST_REFUSAL]) from error


def _view(item: Item) -> dict[str, object]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


ROUTES = [
    ApiRoute("PUT", "/store/items", put, body=ItemPut),
    ApiRoute("GET", "/store/items", get, answer=sdk.Item | None, query=("namespace", "key")),
    ApiRoute("DELETE", "/store/items", delete, body=ItemKey),
    ApiRoute("POST", "/store/items/search", search, body=ItemSearch, answer=sdk.SearchItemsResponse),
    ApiRoute("POST", "/store/namespaces", namespaces, body=NamespaceSearch, answer=sdk.ListNamespaceResponse),
]
