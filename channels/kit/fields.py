"""Fields of JSON that comes from a platform, each as the kind of value that it has to be. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

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


def compact_json(value: JsonObject | Sequence[JsonObject]) -> str:
    """Return JSON in as few bytes as there are: platforms count them."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def object_at(value: JsonObject, key: str) -> JsonObject:
    """Return an object that must be there. Raises ValueError."""
    found = value.get(key)
    if not isinstance(found, dict):
        raise ValueError(f"{key} is no object")
    return found


def object_or_empty(value: JsonObject, key: str) -> JsonObject:
    """Return an object, an empty one for anything else."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def number_or(value: object, default: float) -> float:
    """Return the number that a value is or spells, a header's say; `default` for anything else."""
    try:
        return float(value) if isinstance(value, str | int | float) else default
    except ValueError:
        return default


def text_or_empty(value: JsonObject, key: str) -> str:
    """Return a text, "" for anything else."""
    found = value.get(key)
    return wellformed(found) if isinstance(found, str) else ""
