"""The floor under durable accepts: a thread that inserts what has come and commits it, with an fsync each."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

_Job = tuple[str, "asyncio.Future[None]"]


class GroupCommit:
    """One table, one INSERT a message; nothing is deduplicated, ordered or claimed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[GroupCommit]:
        """In the file `path`."""
        made = cls(path)
        thread = Thread(target=made._serve)
        thread.start()
        try:
            yield made
        finally:
            made._jobs.put(None)
            await asyncio.to_thread(thread.join)

    async def put(self, body: str) -> None:
        """Durable on return."""
        future = self._loop.create_future()
        self._jobs.put((body, future))
        await future

    def _serve(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        while batch := self._take():
            connection.execute("BEGIN IMMEDIATE")
            for body, _ in batch:
                connection.execute("INSERT INTO messages (body) VALUES (?)", (body,))
            connection.execute("COMMIT")
            self._loop.call_soon_threadsafe(_resolve, [future for _, future in batch])
        connection.close()

    def _take(self) -> list[_Job]:
        batch: list[_Job] = []
        job = self._jobs.get()
        try:
            while job is not None and len(batch) < 1000:
                batch.append(job)
                job = self._jobs.get_nowait()
            self._jobs.put(job)  # what does not fit, or the end
        except Empty:
            pass
        return batch


def _resolve(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        future.set_result(None)
