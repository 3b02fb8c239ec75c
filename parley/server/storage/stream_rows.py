"""What runs stream, as rows: for those who follow a run that another server executes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from parley.core.model.types import JsonObject
from parley.server.storage.interface import Database, Statement
from parley.server.storage.tables import RUN_COLUMNS, RunRow, run_of

_AT_ONCE = 1_000
_BEGIN = (
    "INSERT INTO streams (run_id, thread_id, row, changed_at) VALUES (?, ?, ?, ?) ON CONFLICT (run_id)"
    " DO UPDATE SET row = excluded.row, changed_at = excluded.changed_at"
)
_ADD = (
    "INSERT INTO stream_events (run_id, id, frame) VALUES (?, ?, ?) ON CONFLICT (run_id, id)"
    " DO UPDATE SET frame = excluded.frame"
)
_END = "UPDATE streams SET ended = true, row = ?, error = ?, result = ?, changed_at = ? WHERE run_id = ?"


@dataclass(frozen=True, slots=True)
class StreamRow:
    """How a run's stream stands: the run as it was last, and once it has ended, its error and result."""

    run: RunRow
    ended: bool
    error: dict[str, str] | None
    result: bytes | None


async def stream_of(database: Database, run_id: str) -> StreamRow | None:
    """The stream of a run, None where it has not begun, or is forgotten."""
    rows = await database.read("SELECT row, ended, error, result FROM streams WHERE run_id = ?", (run_id,))
    for row, ended, error, result in rows:
        told = json.loads(str(error)) if error else None
        kept = bytes(result) if isinstance(result, bytes | bytearray | memoryview) else None
        return StreamRow(RunRow(**json.loads(str(row)), payload=b""), bool(ended), told, kept)
    return None


async def streams_of_thread(database: Database, thread_id: str) -> list[str]:
    """The runs of a thread whose streams are kept, in the order in which they began."""
    rows = await database.read("SELECT run_id FROM streams WHERE thread_id = ? ORDER BY rowid", (thread_id,))
    return [str(row[0]) for row in rows]


async def events_of(database: Database, run_id: str, after: int) -> list[tuple[int, bytes]]:
    """The next events of a run after one, as many as are read at a time."""
    rows = await database.read(
        "SELECT id, frame FROM stream_events WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?",
        (run_id, after, _AT_ONCE),
    )
    return [(int(number or 0), bytes(frame or b"")) for number, frame in rows]  # type: ignore[arg-type]


def begin_stream(row: RunRow, at: float) -> Statement:
    """Note that a run's stream begins."""
    return Statement(_BEGIN, [(row.run_id, row.thread_id, _dumped(row), at)])


def add_events(run_id: str, events: Sequence[tuple[int, bytes]]) -> Statement:
    """Add events of a run."""
    return Statement(_ADD, [(run_id, number, frame) for number, frame in events])


def drop_events(run_id: str, before: int) -> Statement:
    """Forget a run's events that are older than one."""
    return Statement("DELETE FROM stream_events WHERE run_id = ? AND id < ?", [(run_id, before)])


def end_stream(row: RunRow, at: float, error: dict[str, str] | None, result: bytes | None) -> Statement:
    """Note how a run's stream ended."""
    told = json.dumps(error) if error else ""
    return Statement(_END, [(_dumped(row), told, result, at, row.run_id)])


def forget_stream(run_id: str) -> tuple[Statement, ...]:
    """Forget a run's stream."""
    return (
        Statement("DELETE FROM stream_events WHERE run_id = ?", [(run_id,)]),
        Statement("DELETE FROM streams WHERE run_id = ?", [(run_id,)]),
    )


def forget_streams(before: float, abandoned: float) -> tuple[Statement, ...]:
    """Forget streams that ended before a time, and those of which nothing was heard since another."""
    old = "(SELECT run_id FROM streams WHERE changed_at < ? AND (ended OR changed_at < ?))"
    row = (before, abandoned)
    return (
        Statement(f"DELETE FROM stream_events WHERE run_id IN {old}", [row]),  # noqa: S608 - our own words
        Statement(f"DELETE FROM streams WHERE run_id IN {old}", [row]),  # noqa: S608 - our own words
    )


async def waiting_threads(database: Database, at: float) -> list[str]:
    """Threads that have a run to be executed, or withdrawn, and no server that works on them."""
    rows = await database.read(
        "SELECT DISTINCT thread_id FROM runs WHERE status IN ('pending', 'running')"
        " AND (not_before <= ? OR cancel <> '')"
        " AND NOT EXISTS (SELECT 1 FROM locks WHERE name = 'work/' || thread_id) LIMIT ?",
        (at, _AT_ONCE),
    )
    return [str(row[0]) for row in rows]


async def due_runs(database: Database, thread_id: str, at: float, *, scheduled: bool = False) -> list[RunRow]:
    """A thread's unfinished runs in their order, those to come as well if `scheduled`."""
    rows = await database.read(
        f"SELECT {RUN_COLUMNS} FROM runs WHERE thread_id = ? AND status IN ('pending', 'running')"  # noqa: S608
        " AND (not_before <= ? OR cancel <> '' OR ?) ORDER BY seq",
        (thread_id, at, scheduled),
    )
    return [run_of(row) for row in rows]


async def withdrawals(database: Database) -> dict[str, tuple[str, str]]:
    """Unfinished runs that somebody asked to stop: their thread, and how to stop."""
    rows = await database.read(
        "SELECT run_id, thread_id, cancel FROM runs WHERE cancel <> '' AND status IN ('pending', 'running')"
    )
    return {str(run): (str(thread), str(action)) for run, thread, action in rows}


def withdraw(run_id: str, action: str) -> Statement:
    """Ask a run to stop, wherever it is executed. The first one to ask decides how."""
    return Statement(
        "UPDATE runs SET cancel = ? WHERE run_id = ? AND cancel = '' AND status IN ('pending', 'running')",
        [(action, run_id)],
    )


def _dumped(row: RunRow) -> str:
    kept: JsonObject = asdict(replace(row, payload=b"", auth_user={}))
    return json.dumps({name: value for name, value in kept.items() if name != "payload"}, ensure_ascii=False)
