"""The description of the server's API, made from its routes: it names what is there and nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson
from pydantic import TypeAdapter

from parley.server.api_key import OPEN_PATHS
from parley.server.routes.api_route import ApiRoute
from parley.version import VERSION

_REFERENCE = "#/components/schemas/{model}"
_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "summary{cursor:pointer;padding:.25rem 0}code{font-weight:600}pre{overflow:auto;padding:1rem;"
    "background:#8881;border-radius:.5rem}"
)
PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """The description as an OpenAPI document, in JSON, and as a page."""

    document: bytes
    page: str

    @classmethod
    def of(cls, routes: Sequence[ApiRoute]) -> ApiDescription:
        """Describe these routes."""
        document = describe_api(routes)
        return cls(orjson.dumps(document), render_page(document))


def describe_api(routes: Sequence[ApiRoute]) -> dict[str, Any]:
    """Return the OpenAPI document of these routes."""
    schemas, definitions = _schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = _PARAMETER.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Parley's agent server", "version": VERSION, "license": {"name": "MIT"}},
        "paths": paths,
        "components": {
            "schemas": definitions,
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        },
    }


def render_page(document: dict[str, Any]) -> str:
    """Return the document as a page that loads nothing from anywhere."""
    blocks = "".join(
        _block(method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    title = html.escape(f"{document['info']['title']} {document['info']['version']}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f'<h1>{title}</h1><p>For programs: <a href="openapi.json">openapi.json</a>. '
        f"Clients: langgraph-sdk, RemoteGraph, @langchain/langgraph-sdk.</p>{blocks}"
    )


def _block(method: str, path: str, operation: dict[str, Any]) -> str:
    details = html.escape(orjson.dumps(operation, option=orjson.OPT_INDENT_2).decode())
    name = html.escape(f"{method.upper()} {path}")
    return (
        f"<details><summary><code>{name}</code> {html.escape(operation['summary'])}</summary>"
        f"<pre>{details}</pre></details>"
    )


def _schemas(routes: Sequence[ApiRoute]) -> tuple[dict[tuple[str, bool], Any], dict[str, Any]]:
    """Return the schemas of bodies and answers by route, and what they refer to."""
    wanted: list[tuple[tuple[str, bool], Any, TypeAdapter[Any]]] = []
    for route in routes:
        if route.body is not None:
            wanted.append(((_name(route), True), "validation", TypeAdapter(route.body)))
        if route.answer is not None:
            wanted.append(((_name(route), False), "validation", TypeAdapter(cast("Any", route.answer))))
    found, rest = TypeAdapter.json_schemas(wanted, ref_template=_REFERENCE)
    return {key: schema for (key, _), schema in found.items()}, rest.get("$defs", {})


def _operation(route: ApiRoute, schemas: dict[tuple[str, bool], Any]) -> dict[str, Any]:
    given: dict[str, Any] = {"description": "done"}
    if route.streams:
        given = {"description": "events", "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    elif route.answer is not None:
        given = _json("the answer", schemas[_name(route), False])
    described: dict[str, Any] = {
        "operationId": _name(route),
        "summary": (route.endpoint.__doc__ or "").strip().partition("\n")[0],
        "parameters": [*_parameters(route)],
        "responses": {"200": given, "default": _json("refused: one sentence", _REFUSAL)},
    }
    if route.body is not None:
        described["requestBody"] = _json("what is asked", schemas[_name(route), True])
    return described if route.path in OPEN_PATHS else {**described, "security": [{"key": []}]}


_REFUSAL = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}


def _json(description: str, schema: object) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _parameters(route: ApiRoute) -> list[dict[str, Any]]:
    text = {"type": "string"}
    within = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in _PARAMETER.findall(route.path)
    ]
    return [*within, *({"name": name, "in": "query", "schema": text} for name in route.query)]


def _name(route: ApiRoute) -> str:
    """Return the operation's id: unique, as a method exists once at a path."""
    words = re.findall(r"\w+", route.path)
    return "_".join([route.method.lower(), *words]) or route.method.lower()
