"""Which metadata is looked for: in the tables, and of what is at hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from parley.core.model.types import Json
from parley.server.storage.database import SqlValue

_HAS = "EXISTS (SELECT 1 FROM json_each(metadata) AS m WHERE m.key = ? AND m.type IN (?, ?) AND m.value IS ?)"
_LISTS = (
    "EXISTS (SELECT 1 FROM json_each(metadata) AS m,"
    " json_each(CASE m.type WHEN 'array' THEN m.value ELSE '[]' END) AS e"
    " WHERE m.key = ? AND e.type IN (?, ?) AND e.value IS ?)"
)


@dataclass(frozen=True, slots=True)
class MetadataFilter:
    """Keys that have a value, and keys whose list has one; all of them."""

    equal: tuple[tuple[str, Json], ...] = ()
    contains: tuple[tuple[str, Json], ...] = ()

    def matches(self, metadata: Mapping[str, Json]) -> bool:
        """Return whether somebody may have what has this metadata."""
        has = all(key in metadata and _same(metadata[key], value) for key, value in self.equal)
        return has and all(_lists(metadata.get(key), value) for key, value in self.contains)

    def conditions(self) -> tuple[list[str], list[SqlValue]]:
        """Return SQL for rows with a column `metadata`, and its parameters."""
        parameters: list[SqlValue] = []
        for key, value in (*self.equal, *self.contains):
            parameters += [key, *_as_json_each(value)]
        return [_HAS] * len(self.equal) + [_LISTS] * len(self.contains), parameters


ANYTHING = MetadataFilter()
"""The filter that everything passes."""


def _same(found: Json, wanted: Json) -> bool:
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def _lists(found: Json, wanted: Json) -> bool:
    return isinstance(found, list) and any(_same(each, wanted) for each in found)


def _as_json_each(value: Json) -> tuple[str, str, SqlValue]:
    """The two types and the value under which SQLite's `json_each` lists it."""
    if value is None:
        return "null", "null", None
    if isinstance(value, bool):
        name = "true" if value else "false"
        return name, name, int(value)
    if isinstance(value, int | float):
        return "integer", "real", value
    if isinstance(value, str):
        return "text", "text", value
    return "array", "object", json.dumps(value, ensure_ascii=False, separators=(",", ":"))
