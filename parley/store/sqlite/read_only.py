"""A look into the store of a Parley that may be running: nothing is locked, nothing is written."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.feedback import NEWEST_FEEDBACK
from parley.core.ports.journal import Document, QueueItem
from parley.store.gil_yield import GilYielder
from parley.store.rows import order_documents, parse_documents, parse_items
from parley.store.sqlite.database.connection import SqliteLocation, open_reader
from parley.store.sqlite.database.error_mapping import map_error
from parley.store.sqlite.execution.reader import Reader
from parley.store.sqlite.operations import sql
from parley.store.sqlite.operations.documents import feedback_before, page_range
from parley.store.sqlite.operations.item_search import lanes_before

_BUSY_SECONDS = 5.0


class SqliteReadOnlyStore:
    """The Documents port, for reading only, and the work that waits. Every method raises StoreUnavailable."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def get(self, key: str) -> Document:
        return order_documents([key], await self._reader.rows(sql.GET, key))[0]

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        return parse_documents(await self._reader.rows(sql.LIST, *page_range(prefix, after), limit))

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        """Return unfinished items of a lane, in order."""
        return parse_items(await self._reader.rows(sql.WAITING, queue, lane))

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        """Return the newest items below an id, finished or not: id, queue and lane."""
        return await lanes_before(self._reader, item, limit)

    async def set(self, document: Document) -> Document:
        """Refuse, always."""
        raise StoreUnavailable("The store is open for reading only.")

    async def delete(self, key: str) -> None:
        """Refuse, always."""
        raise StoreUnavailable("The store is open for reading only.")


class IndexedReadOnlyStore(SqliteReadOnlyStore):
    """The same of a file that no older Parley wrote last."""

    async def feedback_before(
        self, before: tuple[float, str] = NEWEST_FEEDBACK, since: float = 0.0, limit: int = 1000
    ) -> Sequence[tuple[float, Document]]:
        """Return a page of feedback; see core.ports.feedback."""
        return await feedback_before(self._reader, before, since, limit)


@asynccontextmanager
async def open_read_only(path: Path) -> AsyncIterator[SqliteReadOnlyStore]:
    """Open a look into the file `path`, which must exist. Raises StoreUnavailable."""
    location = SqliteLocation(path, _BUSY_SECONDS, 0)
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreUnavailable(f"{path}: may not be read by this user.")
    connection = await asyncio.to_thread(open_reader, location)
    reader = Reader(connection, partial(map_error, path), GilYielder())
    try:
        indexed = await reader.rows(sql.HAS_FEEDBACK_TIMES)
        yield IndexedReadOnlyStore(reader) if indexed else SqliteReadOnlyStore(reader)
    finally:
        await reader.close()
