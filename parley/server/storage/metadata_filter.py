"""Which metadata is looked for: in the tables, and of what is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parley.core.model.types import Json
from parley.server.storage.interface import JsonConditions, SqlValue


@dataclass(frozen=True, slots=True)
class MetadataFilter:
    """Keys that have a value, and keys whose list has one; all of them."""

    equal: tuple[tuple[str, Json], ...] = ()
    contains: tuple[tuple[str, Json], ...] = ()

    def matches(self, metadata: Mapping[str, Json]) -> bool:
        """Return whether somebody may have what has this metadata."""
        has = all(key in metadata and _same(metadata[key], value) for key, value in self.equal)
        return has and all(_lists(metadata.get(key), value) for key, value in self.contains)

    def conditions(self, engine: JsonConditions) -> tuple[list[str], list[SqlValue]]:
        """Return SQL for rows with a column `metadata`, and its parameters."""
        parts = [engine.has(key, value) for key, value in self.equal]
        parts += [engine.lists(key, value) for key, value in self.contains]
        return [sql for sql, _ in parts], [each for _, values in parts for each in values]


ANYTHING = MetadataFilter()
"""The filter that everything passes."""


def _same(found: Json, wanted: Json) -> bool:
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def _lists(found: Json, wanted: Json) -> bool:
    return isinstance(found, list) and any(_same(each, wanted) for each in found)
