"""LangGraph's PostgreSQL checkpoints, written by a server that still has its work."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row

from parley.server.storage.interface import MEMORY, RollbackPoint, Statement
from parley.server.storage.postgres.completion import complete
from parley.server.storage.postgres.database import PostgresDatabase
from parley.server.storage.saved_checkpoints import SavedCheckpoints

_ORDER = (
    "ALTER TABLE checkpoints ADD COLUMN IF NOT EXISTS saved bigint GENERATED ALWAYS AS IDENTITY",
    "CREATE INDEX IF NOT EXISTS checkpoints_saved ON checkpoints (thread_id, checkpoint_ns, saved)",
)
_SINCE = (
    "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND saved > coalesce((SELECT max(saved)"
    " FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?), 0)"
)
_OLDER = (
    "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
    " ORDER BY saved DESC OFFSET ?"
)
_FORGET_PARENTS = (
    "UPDATE checkpoints SET parent_checkpoint_id = NULL WHERE thread_id = ? AND checkpoint_ns = ''"
    " AND parent_checkpoint_id NOT IN"
    " (SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '')"
)
_FORGET_VALUES = (
    "DELETE FROM checkpoint_blobs WHERE thread_id = ? AND (checkpoint_ns, channel, version) NOT IN"
    " (SELECT c.checkpoint_ns, v.key, v.value FROM checkpoints c,"
    " jsonb_each_text(c.checkpoint -> 'channel_versions') v WHERE c.thread_id = ?)"
)
_COLUMNS = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
    "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob",
}


class PostgresCheckpoints(SavedCheckpoints, AsyncPostgresSaver):
    """The library's saver; ours are who may write, what is newest, and rolling back and pruning threads."""

    _database: PostgresDatabase
    _newest_query = (
        "SELECT checkpoint_id, metadata ->> 'run_id' FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY saved DESC LIMIT 1"
    )
    _writes_table = "checkpoint_writes"

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database.pool)
        self._database = database

    async def setup(self) -> None:
        """Make the tables."""
        await super().setup()
        for statement in _ORDER:
            await self._database.read(statement)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, committed on return."""
        told: Any = {
            **config,
            "configurable": _without_memory(config["configurable"]),
            "metadata": _without_memory(config.get("metadata") or {}),
        }
        kept = cast("CheckpointMetadata", _without_memory(metadata))
        return await complete(super().aput(told, checkpoint, kept, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task has written, committed on return."""
        await complete(super().aput_writes(config, writes, task_id, task_path))

    async def taken_by(self, thread: str, run_id: str) -> bool:
        """Whether the thread's newest checkpoint is that run's: then its input is already in it."""
        rows = await self._newest(thread)
        return bool(rows) and rows[0][1] == run_id

    async def rollback(self, thread: str, mark: RollbackPoint) -> None:
        """Undo everything that the thread has saved since `mark`."""
        kept = json.dumps([f"{task} {index}" for task, index in mark.writes])
        since = f" WHERE thread_id = ? AND checkpoint_id IN ({_SINCE})"
        await self._database.write(
            # Writes first: what came since is told by the checkpoints.
            *_delete(
                ("checkpoint_writes", "checkpoints"), since, [(thread, thread, thread, mark.checkpoint)]
            ),
            Statement(
                "DELETE FROM checkpoint_writes WHERE thread_id = ? AND checkpoint_id = ? AND"
                " checkpoint_ns = '' AND task_id || ' ' || idx NOT IN"
                " (SELECT jsonb_array_elements_text(?::jsonb))",
                [(thread, mark.checkpoint, kept)],
            ),
            Statement(_FORGET_VALUES, [(thread, thread)]),
        )

    async def delete(self, thread: str) -> None:
        """Forget the thread."""
        await self._database.write(*_delete(tuple(_COLUMNS), " WHERE thread_id = ?", [(thread,)]))

    def keep_newest(self, threads: Sequence[str], keep: int) -> list[Statement]:
        """What leaves each thread its newest `keep` checkpoints."""
        older = f" WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id IN ({_OLDER})"
        twice = [(thread, thread) for thread in threads]
        rows = [(thread, thread, keep) for thread in threads]
        return [
            *_delete(("checkpoint_writes", "checkpoints"), older, rows),
            # What is there names nothing that is gone: nobody can go back to it.
            Statement(_FORGET_PARENTS, twice),
            Statement(_FORGET_VALUES, twice),
        ]

    def forget_subgraphs(self, threads: Sequence[str]) -> list[Statement]:
        """What forgets that finished threads kept something of subgraphs."""
        where = " WHERE thread_id = ? AND checkpoint_ns LIKE '%:%'"
        return _delete(tuple(_COLUMNS), where, [(thread,) for thread in threads])

    def copy(self, thread: str, other: str) -> list[Statement]:
        """What gives another thread, which has none, all that one has."""
        return [
            Statement(
                f"INSERT INTO {table} (thread_id, {columns}) SELECT ?, {columns} FROM {table}"  # noqa: S608
                f" WHERE thread_id = ?{' ORDER BY saved' if table == 'checkpoints' else ''}",
                [(other, thread)],
            )
            for table, columns in _COLUMNS.items()
        ]

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """A cursor for the library, which asks for a pipeline where it writes."""
        take = self._database.fenced if pipeline else self._database.plain
        async with take(dict_row, binary=True) as cursor:
            yield cursor


def _without_memory(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != MEMORY}


def _delete(tables: Sequence[str], where: str, rows: Sequence[Sequence[str | int]]) -> list[Statement]:
    return [Statement(f"DELETE FROM {table}{where}", rows) for table in tables]  # noqa: S608 - our own words
