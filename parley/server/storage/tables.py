"""Threads and runs as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from parley.core.model.types import Json, JsonObject
from parley.server.assistant_ids import assistant_id
from parley.server.storage.interface import Database, JsonConditions, Row, SqlValue, Statement
from parley.server.storage.metadata_filter import ANYTHING, MetadataFilter

_THREAD = "thread_id, created_at, updated_at, status, graph_id, metadata, interrupts, error"
RUN_COLUMNS = (
    "run_id, thread_id, graph_id, created_at, updated_at, status, strategy, temporary, attempt, metadata, "
    "payload, mark, assistant_id, not_before, auth_user"
)
UNFINISHED = ("pending", "running")
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A thread. Times are Unix seconds; `graph_id` is "" until something runs on it."""

    thread_id: str
    created_at: float
    updated_at: float
    status: str
    graph_id: str
    metadata: JsonObject
    interrupts: JsonObject
    error: str

    def view(self) -> dict[str, object]:
        """As the protocol shows it, without values."""
        return {
            "thread_id": self.thread_id,
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
            "metadata": self.metadata,
            "status": self.status,
            "config": {},
            "interrupts": self.interrupts,
            "error": self.error or None,
        }


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. `payload` is the request that made it, dropped at its end; `mark` is where its thread stood.

    It begins no sooner than at the time `not_before`. `auth_user` made it, as a handler said, and is dropped
    at its end, too.
    """

    run_id: str
    thread_id: str
    graph_id: str
    created_at: float
    updated_at: float
    status: str
    strategy: str
    temporary: bool
    attempt: int
    metadata: JsonObject
    payload: bytes
    mark: str
    assistant_id: str = ""
    not_before: float = 0.0
    auth_user: JsonObject = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status not in UNFINISHED

    @property
    def of_assistant(self) -> str:
        """The id of its assistant; rows of older versions have the assistant of their graph."""
        return self.assistant_id or assistant_id(self.graph_id)

    def view(self) -> dict[str, object]:
        """As the protocol shows it."""
        return {
            "run_id": self.run_id,
            "thread_id": self.thread_id,
            "assistant_id": self.of_assistant,
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
            "status": self.status,
            "metadata": self.metadata,
            "multitask_strategy": self.strategy,
        }


@dataclass(frozen=True, slots=True)
class ThreadQuery:
    """What `threads.search` asks for, of what `rule` lets see."""

    metadata: JsonObject
    ids: Sequence[str] = ()
    status: str = ""
    limit: int = 10
    offset: int = 0
    sort_by: str = "created_at"
    descending: bool = True
    rule: MetadataFilter = ANYTHING


class Tables:
    """Queries over threads and runs. Writing methods return statements, to be committed together."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def thread(self, thread_id: str) -> ThreadRow | None:
        """A thread, or None."""
        rows = await self._database.read(f"SELECT {_THREAD} FROM threads WHERE thread_id = ?", (thread_id,))  # noqa: S608
        return _thread(rows[0]) if rows else None

    async def known_threads(self, thread_ids: Sequence[str]) -> set[str]:
        """Those of these threads that there are."""
        found: set[str] = set()
        for at in range(0, len(thread_ids), _AT_ONCE):
            some = thread_ids[at : at + _AT_ONCE]
            condition, parameters = self._database.conditions.among("thread_id", some)
            rows = await self._database.read(f"SELECT thread_id FROM threads WHERE {condition}", parameters)  # noqa: S608
            found.update(str(row[0]) for row in rows)
        return found

    async def search_threads(self, query: ThreadQuery) -> list[ThreadRow]:
        """Threads that match, in the order asked for."""
        where, parameters = _conditions(query, self._database.conditions)
        order = f"{query.sort_by} {'DESC' if query.descending else 'ASC'}, rowid"
        rows = await self._database.read(
            f"SELECT {_THREAD} FROM threads WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",  # noqa: S608
            (*parameters, query.limit, query.offset),
        )
        return [_thread(row) for row in rows]

    async def count_threads(self, query: ThreadQuery) -> int:
        """How many threads match."""
        where, parameters = _conditions(query, self._database.conditions)
        [(count,)] = await self._database.read(f"SELECT count(*) FROM threads WHERE {where}", parameters)  # noqa: S608
        return int(count or 0)

    async def run(self, run_id: str) -> RunRow | None:
        """A run, or None."""
        rows = await self._database.read(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?", (run_id,))  # noqa: S608
        return run_of(rows[0]) if rows else None

    async def runs_of(self, thread_id: str, status: str, limit: int, offset: int) -> list[RunRow]:
        """A thread's runs, newest first; "" is any status."""
        rows = await self._database.read(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE thread_id = ? AND (? = '' OR status = ?)"  # noqa: S608
            " ORDER BY seq DESC LIMIT ? OFFSET ?",
            (thread_id, status, status, limit, offset),
        )
        return [run_of(row) for row in rows]

    async def unfinished_runs(self) -> list[RunRow]:
        """Every run that a crash cut off or kept from starting, oldest first."""
        rows = await self._database.read(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE status IN ('pending', 'running') ORDER BY seq"  # noqa: S608
        )
        return [run_of(row) for row in rows]


def save_thread(row: ThreadRow) -> Statement:
    """Write a new thread; of one that exists only what clients set, never how it stands."""
    values = (row.thread_id, row.created_at, row.updated_at, row.status, row.graph_id)
    bags = (_json(row.metadata), _json(row.interrupts), row.error)
    return Statement(
        f"INSERT INTO threads ({_THREAD})"  # noqa: S608 - our own columns
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread_id) DO UPDATE"
        " SET metadata = excluded.metadata, graph_id = excluded.graph_id, updated_at = excluded.updated_at",
        [(*values, *bags)],
    )


def add_run(row: RunRow) -> Statement:
    """Write a new run."""
    values = (row.run_id, row.thread_id, row.graph_id, row.created_at, row.updated_at, row.status)
    rest = (row.strategy, row.temporary, row.attempt, _json(row.metadata), row.payload, row.mark)
    last = (row.assistant_id, row.not_before, _json(row.auth_user))
    return Statement(
        f"INSERT INTO runs ({RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own
        [(*values, *rest, *last)],
    )


def begin_run(run_id: str, at: float, attempt: int, mark: str) -> Statement:
    """Note that an attempt begins, and where the thread stood before the first."""
    return Statement(
        "UPDATE runs SET status = 'running', updated_at = ?, attempt = ?, mark = ? WHERE run_id = ?",
        [(at, attempt, mark, run_id)],
    )


def end_run(run_id: str, at: float, status: str) -> Statement:
    """Note how a run ended; its payload is of no more use."""
    return Statement(
        "UPDATE runs SET status = ?, updated_at = ?, payload = ?, auth_user = '{}' WHERE run_id = ?",
        [(status, at, b"", run_id)],
    )


def set_thread_status(
    thread_id: str, at: float, status: str, interrupts: JsonObject, error: str = ""
) -> Statement:
    """Note how a thread stands."""
    return Statement(
        "UPDATE threads SET status = ?, updated_at = ?, interrupts = ?, error = ? WHERE thread_id = ?",
        [(status, at, _json(interrupts), error, thread_id)],
    )


def busy_thread(thread_id: str, at: float, graph_id: str) -> Statement:
    """Note that a run holds the thread; its interrupts stay visible until it ends."""
    return Statement(
        "UPDATE threads SET status = 'busy', updated_at = ?, graph_id = ? WHERE thread_id = ?",
        [(at, graph_id, thread_id)],
    )


def delete_run(run_id: str) -> Statement:
    """Forget a run."""
    return Statement("DELETE FROM runs WHERE run_id = ?", [(run_id,)])


def delete_thread(thread_id: str) -> tuple[Statement, ...]:
    """Forget a thread, its runs and its crons."""
    return (
        Statement("DELETE FROM crons WHERE thread_id = ?", [(thread_id,)]),
        Statement("DELETE FROM runs WHERE thread_id = ?", [(thread_id,)]),
        Statement("DELETE FROM threads WHERE thread_id = ?", [(thread_id,)]),
    )


def forget_runs(before: float) -> Statement:
    """Forget runs that ended before a time."""
    return Statement(
        "DELETE FROM runs WHERE status NOT IN ('pending', 'running') AND updated_at < ?", [(before,)]
    )


def timestamp(at: float) -> str:
    """ISO 8601 in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat()


def _json(value: Mapping[str, Json]) -> str:
    return json.dumps(dict(value), ensure_ascii=False)


def _thread(row: Row) -> ThreadRow:
    return ThreadRow(**_fields(_THREAD, row, "metadata", "interrupts"))


def run_of(row: Row) -> RunRow:
    """The run of a row with `RUN_COLUMNS`."""
    return RunRow(**_fields(RUN_COLUMNS, row, "metadata", "auth_user"))


def _fields(columns: str, row: Row, *bags: str) -> dict[str, Any]:
    fields: dict[str, Any] = dict(zip(columns.split(", "), row, strict=True))
    return fields | {bag: json.loads(fields[bag]) for bag in bags}


def _conditions(query: ThreadQuery, engine: JsonConditions) -> tuple[str, list[SqlValue]]:
    wanted = MetadataFilter(tuple(query.metadata.items()))
    parts, parameters = ["1 = 1"], cast("list[SqlValue]", [])
    for conditions, values in (wanted.conditions(engine), query.rule.conditions(engine)):
        parts += conditions
        parameters += values
    if query.ids:
        condition, values = engine.among("thread_id", query.ids)
        parts.append(condition)
        parameters += values
    if query.status:
        parts.append("status = ?")
        parameters.append(query.status)
    return " AND ".join(parts), parameters
