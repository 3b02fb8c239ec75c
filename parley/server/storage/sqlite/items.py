"""The library's store of items on our connection, searched by meaning where there is an embedder."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from langgraph.store.sqlite.aio import AsyncSqliteStore

from parley.server.storage.embedding import EmbeddingStore, Vectors
from parley.server.storage.sqlite.database import SqliteDatabase
from parley.server.storage.store_index import StoreIndex

_log = logging.getLogger(__name__)

_IDENTITY = "CREATE TABLE IF NOT EXISTS store_index (identity TEXT NOT NULL)"

_INSERT = "INSERT INTO store (prefix, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class SqliteItems(EmbeddingStore, AsyncSqliteStore):
    """Ours is that texts are embedded before the database is held, and that vectors go with their items."""

    def __init__(self, database: SqliteDatabase, index: StoreIndex | None = None) -> None:
        self._index = index
        self._vectors = Vectors(index) if index else None
        wanted: Any = index and {"dims": index.dims, "embed": self._vectors, "text_fields": [*index.fields]}
        super().__init__(database.connection, index=wanted)
        self.lock = database.lock

    async def setup(self) -> None:
        """Make the tables."""
        await super().setup()
        # The library leaves vectors of items that are no more to its foreign key.
        await self.conn.execute("PRAGMA foreign_keys=ON")
        if self._index is not None:
            await self._forget_other_vectors(self._index.identity)

    async def insert_item(self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any]) -> bool:
        """Write an item unless there is one; return whether it was written."""
        async with self._cursor() as cursor:
            await cursor.execute(_INSERT, (".".join(namespace), key, json.dumps(value)))
            return cursor.rowcount == 1

    async def _forget_other_vectors(self, identity: str) -> None:
        """Forget the vectors of another model: no distance to them means anything."""
        await self.conn.execute(_IDENTITY)
        rows = await self.conn.execute_fetchall("SELECT identity FROM store_index")
        if [row[0] for row in rows] == [identity]:
            return
        forgotten = await self.conn.execute("DELETE FROM store_vectors")
        if forgotten.rowcount:
            _log.warning("the embedder is another one: items are found by meaning once they are put again")
        await self.conn.execute("DELETE FROM store_index")
        await self.conn.execute("INSERT INTO store_index VALUES (?)", (identity,))
