"""The library's store of items on our pool, searched by meaning where there are an embedder and pgvector."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from langgraph.store.base import Op, PutOp, Result
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from parley.core.model.errors import ConfigError
from parley.server.storage.embedding import EmbeddingStore, Vectors
from parley.server.storage.interface import Statement
from parley.server.storage.postgres.completion import complete
from parley.server.storage.postgres.database import PostgresDatabase
from parley.server.storage.store_index import StoreIndex

_log = logging.getLogger(__name__)

NO_PGVECTOR = "this PostgreSQL has no extension pgvector, which has to be installed there"
AVAILABLE = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
"""Has a row where pgvector can be used."""
_KEPT = "SELECT to_regclass('store_vectors')::text"
_INSERT = "INSERT INTO store (prefix, key, value) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING RETURNING key"
_FORGET = "DELETE FROM store_vectors WHERE (prefix, key) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
_IDENTITY = "CREATE TABLE IF NOT EXISTS store_index (identity text NOT NULL)"


class PostgresItems(EmbeddingStore, AsyncPostgresStore):
    """Ours is that texts are embedded before a connection is held, that only a living server writes, and that
    an item which is put again has no vectors of what it was before.
    """

    def __init__(self, database: PostgresDatabase, index: StoreIndex | None = None) -> None:
        self._database = database
        self._index = index
        self._vectors = Vectors(index) if index else None
        wanted: Any = index and {"dims": index.dims, "embed": self._vectors, "fields": [*index.fields]}
        self._has_vectors = False
        super().__init__(database.pool, index=wanted)

    async def setup(self) -> None:
        """Make the tables. Raises ConfigError where vectors have no size."""
        if self._index is not None:
            if not self._index.dims:
                raise ConfigError("agent_server.store_index.dims: PostgreSQL needs the number; set it")
            await self._forget_other_vectors(self._index.identity)
        await super().setup()
        self._has_vectors = await self._database.read(_KEPT) != [(None,)]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do all of this, to its end where whoever asks is cancelled."""
        return await complete(super().abatch(ops))

    async def insert_item(self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any]) -> bool:
        """Write an item unless there is one; return whether it was written."""
        return await complete(self._insert(".".join(namespace), key, value))

    async def _insert(self, prefix: str, key: str, value: Mapping[str, Any]) -> bool:
        # Synced: of a database that crashes nobody may learn that it was not begun.
        async with self._database.fenced(durable=True) as cursor:
            await cursor.execute(_INSERT, (prefix, key, Jsonb(dict(value))))
            return await cursor.fetchone() is not None

    def _prepare_batch_PUT_queries(  # noqa: N802 - the library's name
        self, put_ops: Sequence[tuple[int, PutOp]]
    ) -> tuple[list[tuple[str, Sequence[Any]]], tuple[str, Sequence[tuple[str, str, str, str]]] | None]:
        queries, embedded = super()._prepare_batch_PUT_queries(put_ops)
        if self._has_vectors:
            places = [(".".join(op.namespace), op.key) for _, op in put_ops]
            queries.insert(0, (_FORGET, [list(each) for each in zip(*places, strict=True)]))
        return queries, embedded

    async def _forget_other_vectors(self, identity: str) -> None:
        """Forget the vectors of another model: no distance to them means anything."""
        await self._database.read(_IDENTITY)
        known = await self._database.read("SELECT identity FROM store_index")
        if known == [(identity,)]:
            return
        if known:
            _log.warning("the embedder is another one: items are found by meaning once they are put again")
        await self._database.write(
            Statement("DROP TABLE IF EXISTS store_vectors", [()]),
            Statement("DROP TABLE IF EXISTS vector_migrations", [()]),
            Statement("DELETE FROM store_index", [()]),
            Statement("INSERT INTO store_index VALUES (?)", [(identity,)]),
        )

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """A cursor for the library, which asks for a pipeline where it may write."""
        take = self._database.fenced if pipeline else self._database.plain
        async with take(dict_row, binary=True) as cursor:
            yield cursor
