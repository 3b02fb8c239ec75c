"""A graph's schemas as JSON schemas, also where pydantic cannot describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

from pydantic.errors import PydanticUserError

from parley.core.model.types import Json


def describe_schema(describe: Callable[[], dict[str, Json] | None], schema: object) -> dict[str, Json] | None:
    """What `describe` says of `schema`, else its fields by name, and which of them are text; None for none.

    Pydantic refuses a TypedDict of `typing` before Python 3.12, and types that have no JSON form.
    """
    try:
        return describe()
    except (PydanticUserError, ValueError):
        if not (names := field_names(schema)):
            return None
        needed = sorted(getattr(schema, "__required_keys__", ()))
        described: dict[str, Json] = {name: _described(schema, name) for name in sorted(names)}
        return {"type": "object", "properties": described, "required": list(needed)}


def _described(schema: object, name: str) -> Json:
    annotation = getattr(schema, "__annotations__", {}).get(name)
    text = annotation is str or getattr(annotation, "__forward_arg__", annotation) == "str"
    return {"type": "string"} if text else {}


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
