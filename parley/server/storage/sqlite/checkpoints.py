"""LangGraph's SQLite checkpoints, written through our grouped transactions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from parley.server.storage.interface import MEMORY, RollbackPoint, SqlValue, Statement
from parley.server.storage.saved_checkpoints import SavedCheckpoints
from parley.server.storage.sqlite.database import SqliteDatabase

_PUT = (
    "INSERT OR REPLACE INTO checkpoints"
    " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SINCE = (
    "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ?1 AND rowid >"
    " coalesce((SELECT max(rowid) FROM checkpoints"
    " WHERE thread_id = ?1 AND checkpoint_ns = '' AND checkpoint_id = ?2), 0)"
)
_WRITES = (
    " INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_FORGET_PARENTS = (
    "UPDATE checkpoints SET parent_checkpoint_id = NULL"
    " WHERE thread_id = ?1 AND checkpoint_ns = '' AND parent_checkpoint_id NOT IN"
    " (SELECT checkpoint_id FROM checkpoints WHERE thread_id = ?1 AND checkpoint_ns = '')"
)


class SqliteCheckpoints(SavedCheckpoints, AsyncSqliteSaver):
    """The library's saver; ours are how it writes, what is newest, and rolling back and pruning threads."""

    _database: SqliteDatabase
    _newest_query = (
        "SELECT checkpoint_id, metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
        " ORDER BY rowid DESC LIMIT 1"
    )
    _writes_table = "writes"

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database.connection)
        self.lock = database.lock
        self._database = database

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, committed on return."""
        place = config["configurable"]
        thread, namespace = str(place["thread_id"]), place["checkpoint_ns"]
        kind, blob = self.serde.dumps_typed(checkpoint)
        kept = {
            name: value for name, value in get_checkpoint_metadata(config, metadata).items() if name != MEMORY
        }
        described = json.dumps(kept, ensure_ascii=False)
        row = (thread, namespace, checkpoint["id"], place.get("checkpoint_id"), kind, blob)
        await self._database.write(Statement(_PUT, [(*row, described.encode("utf-8", "ignore"))]))
        return {
            "configurable": {
                "thread_id": thread,
                "checkpoint_ns": namespace,
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save a task's writes, committed on return."""
        place = config["configurable"]
        key = (str(place["thread_id"]), str(place["checkpoint_ns"]), str(place["checkpoint_id"]))
        rows: list[Sequence[SqlValue]] = [
            (
                *key,
                task_id,
                task_path,
                WRITES_IDX_MAP.get(channel, index),
                channel,
                *self.serde.dumps_typed(value),
            )
            for index, (channel, value) in enumerate(writes)
        ]
        verb = "REPLACE" if all(channel in WRITES_IDX_MAP for channel, _ in writes) else "IGNORE"
        await self._database.write(Statement(f"INSERT OR {verb}{_WRITES}", rows))

    async def taken_by(self, thread: str, run_id: str) -> bool:
        """Whether the thread's newest checkpoint is that run's: then its input is already in it."""
        rows = await self._newest(thread)
        metadata = rows[0][1] if rows else None
        return isinstance(metadata, str | bytes) and json.loads(metadata).get("run_id") == run_id

    async def rollback(self, thread: str, mark: RollbackPoint) -> None:
        """Undo everything that the thread has saved since `mark`."""
        kept = json.dumps([f"{task} {index}" for task, index in mark.writes])
        await self._database.write(
            # Writes first: what came since is told by the checkpoints.
            *_delete_from_both(
                f" WHERE thread_id = ?1 AND checkpoint_id IN ({_SINCE})", [(thread, mark.checkpoint)]
            ),
            Statement(
                "DELETE FROM writes WHERE thread_id = ? AND checkpoint_id = ? AND checkpoint_ns = ''"
                " AND task_id || ' ' || idx NOT IN (SELECT value FROM json_each(?))",
                [(thread, mark.checkpoint, kept)],
            ),
        )

    async def delete(self, thread: str) -> None:
        """Forget the thread."""
        await self._database.write(
            Statement("DELETE FROM checkpoints WHERE thread_id = ?", [(thread,)]),
            Statement("DELETE FROM writes WHERE thread_id = ?", [(thread,)]),
        )

    def keep_newest(self, threads: Sequence[str], keep: int) -> list[Statement]:
        """Keep the newest `keep` checkpoints of each thread.

        Every checkpoint holds the whole state: a thread that kept all would grow with the square of its
        length.
        """
        older = (
            " WHERE thread_id = ?1 AND checkpoint_ns = '' AND checkpoint_id IN"
            " (SELECT checkpoint_id FROM checkpoints WHERE thread_id = ?1 AND checkpoint_ns = ''"
            " ORDER BY rowid DESC LIMIT -1 OFFSET ?2)"
        )
        return [
            *_delete_from_both(older, [(thread, keep) for thread in threads]),
            # What is there names nothing that is gone: nobody can go back to it.
            Statement(_FORGET_PARENTS, [(thread,) for thread in threads]),
        ]

    def copy(self, thread: str, other: str) -> list[Statement]:
        """Give another thread, which has none, all that one has."""
        return [
            Statement(
                "INSERT INTO checkpoints"
                " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
                " SELECT ?, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
                " FROM checkpoints WHERE thread_id = ? ORDER BY rowid",
                [(other, thread)],
            ),
            Statement(
                "INSERT INTO writes"
                " (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value)"
                " SELECT ?, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value"
                " FROM writes WHERE thread_id = ?",
                [(other, thread)],
            ),
        ]

    def forget_subgraphs(self, threads: Sequence[str]) -> list[Statement]:
        """Forget what finished threads kept of subgraphs: a namespace with ":" carries a task's id, and no
        later run can come back to it.
        """
        where = " WHERE thread_id = ? AND checkpoint_ns LIKE '%:%'"
        return _delete_from_both(where, [(thread,) for thread in threads])


def _delete_from_both(where: str, rows: Sequence[Sequence[SqlValue]]) -> list[Statement]:
    # Writes first: what is old is told by the checkpoints.
    tables = ("writes", "checkpoints")
    return [Statement(f"DELETE FROM {table}{where}", rows) for table in tables]  # noqa: S608 - our own words
