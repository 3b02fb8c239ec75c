"""The fields that a JSON schema declares, also behind references (pure)."""

from __future__ import annotations

from collections.abc import Iterator

from parley.agent.transport.decoding import string
from parley.core.model.types import Json

_LOCAL = "#/$defs/"
_MOST_LEVELS = 5


def schema_fields(schema: Json) -> dict[str, Json]:
    """Return the fields by name; pydantic describes a type that knows itself by a reference alone."""
    return {name: field for part in _parts(schema, schema, 0) for name, field in _fields(part)}


def required_fields(schema: Json) -> list[Json]:
    """Return the names of those that have to be given."""
    return [name for part in _parts(schema, schema, 0) for name in _list(part.get("required"))]


def _parts(schema: Json, root: Json, level: int) -> Iterator[dict[str, Json]]:
    if not isinstance(schema, dict) or level > _MOST_LEVELS:
        return
    yield schema
    place = string(schema.get("$ref"))
    defined = root.get("$defs") if isinstance(root, dict) else None
    if place.startswith(_LOCAL) and isinstance(defined, dict):
        yield from _parts(defined.get(place.removeprefix(_LOCAL)), root, level + 1)
    for each in _list(schema.get("allOf")):
        yield from _parts(each, root, level + 1)


def _fields(part: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    fields = part.get("properties")
    yield from fields.items() if isinstance(fields, dict) else ()


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
