"""What is in a column of JSON, as PostgreSQL is asked for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from parley.core.model.types import Json
from parley.server.storage.interface import SqlValue

_LISTS = (
    "EXISTS (SELECT 1 FROM jsonb_array_elements(CASE jsonb_typeof(metadata -> ?::text) WHEN 'array'"
    " THEN metadata -> ?::text ELSE '[]' END) AS e WHERE e = ?::jsonb)"
)


class PostgresConditions:
    """Conditions over columns of jsonb."""

    def has(self, key: str, value: Json) -> tuple[str, list[SqlValue]]:
        return "metadata -> ?::text = ?::jsonb", [key, _dumped(value)]

    def lists(self, key: str, value: Json) -> tuple[str, list[SqlValue]]:
        return _LISTS, [key, key, _dumped(value)]

    def among(self, column: str, values: Sequence[str]) -> tuple[str, list[SqlValue]]:
        return f"{column} IN (SELECT jsonb_array_elements_text(?::jsonb))", [json.dumps(list(values))]


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
