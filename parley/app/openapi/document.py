"""The OpenAPI document, built of the operations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from typing import Any, cast

from pydantic import TypeAdapter

from parley.app.openapi.answers import ErrorAnswer
from parley.app.openapi.operation import MULTIPART, PARAMETERS, ApiOperation
from parley.app.openapi.operations import OPERATIONS
from parley.core.model.types import Json
from parley.version import VERSION

_TEMPLATE = "#/components/schemas/{model}"
_JSON = "application/json"
_ABOUT = (
    "The API of one Parley: its web chat, and what operators need. Every request but those for health needs "
    "the console's token. Requests may be repeated: the caller makes the ids of messages."
)
_ERRORS = {
    400: "A parameter is wrong, or the request was broken off.",
    401: "The token is missing or wrong.",
    403: "It is not open for whoever asks; `text` says for whom it is.",
    404: "There is nothing of that name.",
    409: "It does not fit the present state; `code` says why.",
    413: "The body is too long.",
    415: "The body has another type.",
    422: "A value is wrong; `text` names it.",
    503: "The store, or what is asked for, is away: try again after `Retry-After` seconds.",
}


@cache
def render_document() -> str:
    """Return the document as JSON."""
    return json.dumps(build_document())


def build_document() -> dict[str, Json]:
    """Return the document."""
    schemas, components = _schemas()
    paths: dict[str, dict[str, Json]] = {}
    for tag, operations in OPERATIONS.items():
        for each in operations:
            paths.setdefault(each.path, {})[each.method.lower()] = _operation(tag, each, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Parley",
            "version": VERSION,
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:8765", "description": "console.host and console.port"}],
        "tags": [{"name": tag} for tag in OPERATIONS],
        "security": [{"token": []}],
        "paths": dict(paths),
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "console.token, or the file data/token",
                }
            },
        },
    }


def _json_types() -> Iterator[tuple[Any, str]]:
    yield ErrorAnswer, "serialization"
    for operations in OPERATIONS.values():
        for each in operations:
            if each.takes is not None and not isinstance(each.takes, str):
                yield each.takes, "validation"
            if each.gives is not None and not isinstance(each.gives, str):
                yield each.gives, "serialization"


def _schemas() -> tuple[Mapping[tuple[str, str], Json], Json]:
    """Return the schema of each body and answer by its name, and the schemas that these refer to."""
    wanted = {(_key(kind), mode): (kind, mode) for kind, mode in _json_types()}
    inputs: list[Any] = [(name, mode, TypeAdapter[Any](kind)) for (name, mode), (kind, _) in wanted.items()]
    found, defined = TypeAdapter.json_schemas(inputs, ref_template=_TEMPLATE)
    return cast("Mapping[tuple[str, str], Json]", found), defined["$defs"]


def _key(kind: object) -> str:
    return str(kind)


def _operation(tag: str, each: ApiOperation, schemas: Mapping[tuple[str, str], Json]) -> Json:
    described: dict[str, Json] = {
        "tags": [tag],
        "operationId": _name(each),
        "summary": each.summary,
        "parameters": [*_parameters(each)],
        "responses": _responses(each, schemas),
    }
    if each.takes is not None:
        described["requestBody"] = {"required": True, "content": _content(each.takes, "validation", schemas)}
    if not each.needs_token:
        described["security"] = []
    return described


def _name(each: ApiOperation) -> str:
    words = re.findall(r"\w+", each.path.removeprefix("/api"))
    return "_".join((each.method.lower(), *words))


def _parameters(each: ApiOperation) -> Iterator[Json]:
    for name in re.findall(r"{(\w+)}", each.path):
        kind = "integer" if name == "item" else "string"
        yield _parameter(name, "path", kind) | {"required": True}
    for name in each.query:
        yield _parameter(name, "query", "string")


def _parameter(name: str, place: str, kind: str) -> dict[str, Json]:
    return {"name": name, "in": place, "description": PARAMETERS[name], "schema": {"type": kind}}


def _responses(each: ApiOperation, schemas: Mapping[tuple[str, str], Json]) -> Json:
    done: dict[str, Json] = {"description": HTTPStatus(each.status).phrase}
    if each.gives is not None:
        done["content"] = _content(each.gives, "serialization", schemas)
    refused = _content(ErrorAnswer, "serialization", schemas)
    plain: dict[str, Json] = {"text/plain": {"schema": {"type": "string"}}}
    content: Json = dict(refused if each.needs_token else plain)
    errors: dict[str, Json] = {
        str(code): {"description": _ERRORS[code], "content": content} for code in _refusals(each)
    }
    return {str(each.status): done, **errors}


def _refusals(each: ApiOperation) -> Sequence[int]:
    found = set(each.refuses)
    if each.needs_token:
        found |= {401, 503}
    if "{" in each.path:
        found.add(404)
    if each.takes is not None:
        found |= {400, 413, 415, 422}
    if "person" in each.query or "account" in each.query:
        found |= {404, 422}
    return sorted(found)


def _content(kind: object, mode: str, schemas: Mapping[tuple[str, str], Json]) -> dict[str, Json]:
    if kind == MULTIPART:
        part: Json = {"type": "string", "contentMediaType": "application/octet-stream"}
        return {MULTIPART: {"schema": {"type": "object", "properties": {"file": part}, "required": ["file"]}}}
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"} if kind.startswith("text/") else {}}}
    return {_JSON: {"schema": schemas[_key(kind), mode]}}
