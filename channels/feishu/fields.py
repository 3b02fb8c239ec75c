"""What is read out of events. Pure; each raises ValueError for what no platform should send."""

from __future__ import annotations

import re

from parley.core.model.types import JsonObject

_ID = re.compile(r"[\w.:@-]{1,128}\Z")


def id_at(value: JsonObject, key: str) -> str:
    """Return an id that must be there."""
    found = value.get(key)
    if not isinstance(found, str) or not _ID.match(found):
        raise ValueError(f"{key} is no id")
    return found


def id_if_any(value: JsonObject, key: str) -> str:
    """Return an id, or "" where there is none."""
    return id_at(value, key) if value.get(key) else ""


def is_foreign(header: JsonObject, person: JsonObject) -> bool:
    """Tell whether a person belongs to another tenant than the app."""
    ours, theirs = header.get("tenant_key"), person.get("tenant_key")
    return bool(ours and theirs) and ours != theirs
