"""JSON: its types, and how to get at what may be anything."""

from __future__ import annotations

import json
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"


def as_object(value: object) -> JsonObject:
    """Return a value that is an object; an empty one for any other."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Json]:
    """Return a value that is an array; an empty one for any other."""
    return value if isinstance(value, list) else []


def decode_object(raw: str | bytes, no_json: Exception, no_object: Exception) -> JsonObject:
    """Return the object that a text holds; or raise what stands for a text without JSON, or without one."""
    try:
        value = json.loads(raw)
    except ValueError:
        raise no_json from None
    if not isinstance(value, dict):
        raise no_object
    return value
