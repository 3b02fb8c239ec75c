"""Fields of JSON that comes from a platform, each as the kind of value that it has to be. Pure."""

from __future__ import annotations

import json

from parley.channels.kit.text import wellformed
from parley.core.model.types import Json, JsonObject

MALFORMED = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError)
"""Whatever an SDK and we may raise over a payload that is not as it should be."""


def json_object(data: bytes | str) -> dict[str, Json]:
    """Return the object that a JSON text is. Raises ValueError for anything else."""
    try:
        decoded = json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(decoded, dict):
        raise ValueError("no JSON object")
    return decoded


def object_at(value: JsonObject, key: str) -> JsonObject:
    """Return an object that must be there. Raises ValueError."""
    found = value.get(key)
    if not isinstance(found, dict):
        raise ValueError(f"{key} is no object")
    return found


def text_or_empty(value: JsonObject, key: str) -> str:
    """Return a text, "" for anything else."""
    found = value.get(key)
    return wellformed(found) if isinstance(found, str) else ""
