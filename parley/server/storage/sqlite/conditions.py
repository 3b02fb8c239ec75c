"""What is in a column of JSON, as SQLite is asked for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from parley.core.model.types import Json
from parley.server.storage.interface import SqlValue

_HAS = "EXISTS (SELECT 1 FROM json_each(metadata) AS m WHERE m.key = ? AND m.type IN (?, ?) AND m.value IS ?)"
_LISTS = (
    "EXISTS (SELECT 1 FROM json_each(metadata) AS m,"
    " json_each(CASE m.type WHEN 'array' THEN m.value ELSE '[]' END) AS e"
    " WHERE m.key = ? AND e.type IN (?, ?) AND e.value IS ?)"
)


class SqliteConditions:
    """Conditions over columns of text that hold JSON."""

    def has(self, key: str, value: Json) -> tuple[str, list[SqlValue]]:
        return _HAS, [key, *_as_json_each(value)]

    def lists(self, key: str, value: Json) -> tuple[str, list[SqlValue]]:
        return _LISTS, [key, *_as_json_each(value)]

    def among(self, column: str, values: Sequence[str]) -> tuple[str, list[SqlValue]]:
        return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(list(values))]  # noqa: S608


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
