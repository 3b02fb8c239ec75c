"""Crons as rows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from parley.core.model.types import JsonObject
from parley.server.storage.interface import Database, Row, SqlValue, Statement
from parley.server.storage.tables import timestamp

_COLUMNS = (
    "cron_id, assistant_id, thread_id, schedule, timezone, end_time, next_run, payload, metadata, enabled, "
    "on_run_completed, created_at, updated_at, auth_user"
)
_TIMES = {"end_time": "end_time", "next_run": "next_run_date", "created_at": "created_at"}


@dataclass(frozen=True, slots=True)
class CronRow:
    """A cron. Times are Unix seconds; without a thread each run gets one of its own.

    `payload` is what its runs are asked. `next_run` is None when it never runs again.
    """

    cron_id: str
    assistant_id: str
    thread_id: str | None
    schedule: str
    timezone: str | None
    end_time: float | None
    next_run: float | None
    payload: JsonObject
    metadata: JsonObject
    enabled: bool
    on_run_completed: str | None
    created_at: float
    updated_at: float
    auth_user: JsonObject = field(default_factory=dict)

    def view(self) -> dict[str, object]:
        """As the protocol shows it."""
        fields = {name: getattr(self, name) for name in _COLUMNS.split(", ")}
        for name, shown in {**_TIMES, "updated_at": "updated_at"}.items():
            at = fields.pop(name)
            fields[shown] = None if at is None else timestamp(at)
        return fields | {"user_id": fields.pop("auth_user").get("identity")}


async def all_crons(database: Database) -> list[CronRow]:
    """Every cron, oldest first."""
    rows = await database.read(f"SELECT {_COLUMNS} FROM crons ORDER BY created_at, rowid")  # noqa: S608
    return [_cron(row) for row in rows]


async def cron_of(database: Database, cron_id: str) -> CronRow | None:
    """A cron, or None."""
    rows = await database.read(f"SELECT {_COLUMNS} FROM crons WHERE cron_id = ?", (cron_id,))  # noqa: S608
    return _cron(rows[0]) if rows else None


async def due_crons(database: Database, at: float) -> list[CronRow]:
    """Those whose time has come, the longest due first."""
    rows = await database.read(
        f"SELECT {_COLUMNS} FROM crons WHERE enabled AND next_run <= ? ORDER BY next_run",  # noqa: S608
        (at,),
    )
    return [_cron(row) for row in rows]


async def next_due(database: Database) -> float | None:
    """When the next one is due, None for never."""
    [(at,)] = await database.read("SELECT min(next_run) FROM crons WHERE enabled")
    return None if at is None else float(at)


def save_cron(row: CronRow) -> Statement:
    """Write a cron, new or changed."""
    fields = [getattr(row, name) for name in _COLUMNS.split(", ")]
    values: list[SqlValue] = [
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value for value in fields
    ]
    marks = ", ".join("?" * len(values))
    changed = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[1:])
    return Statement(
        f"INSERT INTO crons ({_COLUMNS}) VALUES ({marks})"  # noqa: S608 - our own columns
        f" ON CONFLICT (cron_id) DO UPDATE SET {changed}",
        [values],
    )


def set_next_run(cron_id: str, due: float, following: float | None) -> Statement:
    """Note that a cron ran for the time `due`, and when it runs again."""
    return Statement(
        "UPDATE crons SET next_run = ? WHERE cron_id = ? AND next_run = ?", [(following, cron_id, due)]
    )


def delete_cron(cron_id: str) -> Statement:
    """Forget a cron."""
    return Statement("DELETE FROM crons WHERE cron_id = ?", [(cron_id,)])


def _cron(row: Row) -> CronRow:
    fields: dict[str, Any] = dict(zip(_COLUMNS.split(", "), row, strict=True))
    bags = {bag: json.loads(fields[bag]) for bag in ("payload", "metadata", "auth_user")}
    return CronRow(**fields | bags | {"enabled": bool(fields["enabled"])})
