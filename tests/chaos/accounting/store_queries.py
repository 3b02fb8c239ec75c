"""What the store itself says: what waits, and for whom."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psycopg

_LANES = "SELECT * FROM {}lanes WHERE ready_at IS NOT NULL OR node IS NOT NULL"
_NODES = "SELECT name, until - extract(epoch FROM clock_timestamp()) FROM {}nodes"
_ITEMS = "SELECT id, queue, lane, attempts, put_at, run_at, note FROM {}items WHERE state = 0 ORDER BY id"

_UNFINISHED = (
    "SELECT count(*) FROM {}items WHERE state = 0"
    " AND (queue LIKE 'turns/%' OR queue LIKE 'commands/%' OR queue LIKE 'knocks/%')"
)

_UNLEARNED = "SELECT count(*) FROM {}items WHERE state = 0 AND queue = 'memory'"
_REMEMBERED = (
    "SELECT body FROM {}documents"
    " WHERE key LIKE 'memory/%' OR key LIKE 'past-turn%' OR key LIKE 'memory-told/%'"
)


def unlearned(database: Path | str) -> int:
    """How many turns are to be learned from."""
    ((count,),) = _rows(database, _UNLEARNED)
    assert isinstance(count, int)
    return count


def remembered(database: Path | str) -> Sequence[str]:
    """The documents of all memories, past conversations, and what was told of them."""
    return [str(body) for (body,) in _rows(database, _REMEMBERED)]


def unfinished(database: Path | str) -> int:
    """How many messages, presses and commands are not finished."""
    ((count,),) = _rows(database, _UNFINISHED)
    assert isinstance(count, int)
    return count


def waiting(database: Path | str) -> str:
    """Lanes that are held or ready, items that are not finished, and nodes with the seconds that are left of
    their leases, for whoever looks into a stall."""
    nodes = [] if isinstance(database, Path) else _rows(database, _NODES)
    return "\n".join(map(str, [*_rows(database, _LANES), *_rows(database, _ITEMS), *nodes]))


def _rows(database: Path | str, query: str) -> Sequence[tuple[object, ...]]:
    if isinstance(database, Path):
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as file:
            return file.execute(query.format("")).fetchall()
    with psycopg.connect(database) as server:
        text = query.format("parley.").replace("%", "%%")
        return server.execute(text.encode(), []).fetchall()
