"""A graph's schemas as JSON schemas, also where pydantic cannot describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

from pydantic.errors import PydanticUserError

from parley.core.model.types import Json


def describe_schema(describe: Callable[[], dict[str, Json] | None], schema: object) -> dict[str, Json] | None:
    """What `describe` says of `schema`, else the names of its fields; None where there is none.

    Pydantic refuses a TypedDict of `typing` before Python 3.12, and types that have no JSON form.
    """
    try:
        return describe()
    except (PydanticUserError, ValueError):
        names = field_names(schema)
        return {"type": "object", "properties": {name: {} for name in sorted(names)}} if names else None


def field_names(schema: object) -> frozenset[str]:
    """The fields of a model, a dataclass or a TypedDict; none where it has no such form."""
    if schema is None:
        return frozenset()
    if is_dataclass(schema):
        return frozenset(field.name for field in fields(schema) if field.init)
    models = getattr(schema, "model_fields", None)
    if isinstance(models, dict):
        return frozenset(models)
    # A TypedDict has those of its bases among its own.
    return frozenset(getattr(schema, "__annotations__", {}))
