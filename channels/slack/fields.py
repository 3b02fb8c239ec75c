"""Fields of what Slack sends, each as the kind of value that it has to be. Pure."""

from __future__ import annotations

from parley.channels.kit.text import wellformed
from parley.core.model.types import Json, JsonObject


def text_at(of: JsonObject, key: str) -> str:
    """Return a text, "" for none. Raises TypeError for anything else."""
    value: Json = of.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return wellformed(value)


def required_text_at(of: JsonObject, key: str) -> str:
    """Return a text that must be there. Raises ValueError, TypeError."""
    value = text_at(of, key)
    if not value:
        raise ValueError(f"no {key}")
    return value
