"""Where threads stand: what the checkpoints of every engine are asked."""

from __future__ import annotations

from typing import ClassVar, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from parley.server.storage.interface import Database, RollbackPoint, Row


class SavedCheckpoints(BaseCheckpointSaver[str]):
    """What both engines' savers read; an engine's own class of the library comes after it.

    Newest is what was saved last. The library goes by ids, which are times: of a clock that was set back, or
    of another server's that is behind. `_newest_query` finds it by a thread and a namespace, its id first;
    `_writes_table` is the table of tasks' writes.
    """

    _newest_query: ClassVar[str]
    _writes_table: ClassVar[str]
    _database: Database

    @property
    def saver(self) -> Self:
        """Itself: graphs save with it."""
        return self

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint with its writes: the one that is named, or the newest."""
        place = config["configurable"]
        if place.get("checkpoint_id"):
            return await super().aget_tuple(config)
        thread, namespace = str(place["thread_id"]), str(place.get("checkpoint_ns", ""))
        rows = await self._newest(thread, namespace)
        if not rows:
            return None
        newest = {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": rows[0][0]}
        return await super().aget_tuple({"configurable": newest})

    async def mark(self, thread: str) -> RollbackPoint:
        """Return where the thread stands now."""
        newest = await self._newest(thread)
        if not newest:
            return RollbackPoint("", ())
        checkpoint = str(newest[0][0])
        writes = await self._database.read(
            f"SELECT task_id, idx FROM {self._writes_table}"  # noqa: S608 - our own words
            " WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?",
            (thread, checkpoint),
        )
        return RollbackPoint(checkpoint, tuple((str(task), int(index or 0)) for task, index in writes))

    async def has(self, thread: str, namespace: str, checkpoint: str) -> bool:
        """Return whether a checkpoint is there."""
        sql = "SELECT 1 FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
        return bool(await self._database.read(sql, (thread, namespace, checkpoint)))

    async def _newest(self, thread: str, namespace: str = "") -> list[Row]:
        return await self._database.read(self._newest_query, (thread, namespace))
