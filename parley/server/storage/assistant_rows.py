"""Assistants and their versions as rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from parley.core.model.types import JsonObject
from parley.server.storage.interface import Database, Row, Statement
from parley.server.storage.tables import timestamp

_COLUMNS = (
    "assistant_id, version, graph_id, name, description, config, context, metadata, created_at, updated_at"
)
_BAGS = ("config", "context", "metadata")


@dataclass(frozen=True, slots=True)
class AssistantRow:
    """A version of an assistant; `updated_at` is when this version was made. Times are Unix seconds."""

    assistant_id: str
    version: int
    graph_id: str
    name: str
    description: str | None
    config: JsonObject
    context: JsonObject
    metadata: JsonObject
    created_at: float
    updated_at: float

    def view(self) -> dict[str, object]:
        """As the protocol shows it."""
        fields = {name: getattr(self, name) for name in _COLUMNS.split(", ")}
        return fields | {
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
        }


async def current_assistants(database: Database) -> list[AssistantRow]:
    """The version in effect of each assistant that is stored."""
    rows = await database.read(
        f"SELECT {_COLUMNS} FROM assistants NATURAL JOIN assistant_versions"  # noqa: S608 - our own columns
        " ORDER BY created_at, assistants.rowid"
    )
    return [_assistant(row) for row in rows]


async def versions_of(database: Database, assistant_id: str) -> list[AssistantRow]:
    """All versions of an assistant, newest first."""
    rows = await database.read(
        f"SELECT {_COLUMNS} FROM assistant_versions WHERE assistant_id = ? ORDER BY version DESC",  # noqa: S608
        (assistant_id,),
    )
    return [_assistant(row) for row in rows]


def add_version(row: AssistantRow) -> tuple[Statement, Statement]:
    """Write a version, which is in effect from now on."""
    fields = [getattr(row, name) for name in _COLUMNS.split(", ")]
    values = [json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value for value in fields]
    marks = ", ".join("?" * len(values))
    return (
        Statement(f"INSERT INTO assistant_versions ({_COLUMNS}) VALUES ({marks})", [values]),  # noqa: S608
        put_in_effect(row.assistant_id, row.version),
    )


def put_in_effect(assistant_id: str, version: int) -> Statement:
    """Make a version the one that runs use."""
    return Statement(
        "INSERT INTO assistants (assistant_id, version) VALUES (?, ?)"
        " ON CONFLICT (assistant_id) DO UPDATE SET version = excluded.version",
        [(assistant_id, version)],
    )


def delete_assistant(assistant_id: str) -> tuple[Statement, ...]:
    """Forget an assistant, its versions and its crons."""
    return (
        Statement("DELETE FROM crons WHERE assistant_id = ?", [(assistant_id,)]),
        Statement("DELETE FROM assistants WHERE assistant_id = ?", [(assistant_id,)]),
        Statement("DELETE FROM assistant_versions WHERE assistant_id = ?", [(assistant_id,)]),
    )


def _assistant(row: Row) -> AssistantRow:
    fields: dict[str, Any] = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return AssistantRow(**fields | {bag: json.loads(fields[bag]) for bag in _BAGS})
