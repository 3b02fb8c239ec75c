"""Texts of items are embedded before the store is held, in every engine."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langgraph.store.base import (
    NOT_PROVIDED,
    NotProvided,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore

from parley.server.http_errors import Problem, invalid
from parley.server.storage.store_index import StoreIndex

_log = logging.getLogger(__name__)

_KEPT_VECTORS = 256
_LONGEST_TEXT = 8_000
_MOST_TEXTS = 100


class EmbeddingStore(AsyncBatchedBaseStore):
    """What both engines' stores do about meaning; an engine's own class of the library comes after it.

    `_index` is how items are found by meaning, None where they are not, and `_vectors` embeds for it.
    """

    _index: StoreIndex | None
    _vectors: Vectors | None

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> None:
        """Write an item. Raises Problem where its texts cannot be embedded."""
        await self._prepare(self._texts(value, index))
        await super().aput(namespace, key, dict(value), index, ttl=ttl)

    async def asearch(
        self,
        namespace_prefix: tuple[str, ...],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the library's name
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[SearchItem]:
        """Find items, by meaning where a query is given. Raises Problem where it cannot be embedded."""
        await self._prepare([query] if query else [])
        return await super().asearch(
            namespace_prefix, query=query, filter=filter, limit=limit, offset=offset, refresh_ttl=refresh_ttl
        )

    async def close(self) -> None:
        """End the library's task, which would else end when it is collected, and then log an error."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do all of this; what was put or asked one by one has its vectors by now."""
        given = list(ops)
        for op in given:
            if isinstance(op, PutOp) and op.value is not None:
                await self._prepare(self._texts(op.value, op.index))
            elif isinstance(op, SearchOp) and op.query:
                await self._prepare([op.query])
        return await super().abatch(given)  # type: ignore[safe-super] # an engine's own class comes next

    def _texts(self, value: Mapping[str, Any], index: Literal[False] | list[str] | None) -> list[str]:
        """Return what is embedded of a value. Raises Problem where that is too much."""
        if self._index is None or index is False:
            return []
        # As the library has it: only in the configuration does "$" stand for the whole value.
        default: Any = [each if each == "$" else tokenize_path(each) for each in self._index.fields]
        paths = default if index is None else [tokenize_path(each) for each in index]
        texts = [text for path in paths for text in get_text_at_path(value, path)]
        if len(texts) > _MOST_TEXTS:
            raise invalid(f"index: {len(texts)} texts would be embedded; at most {_MOST_TEXTS} are.")
        return texts

    async def _prepare(self, texts: Sequence[str]) -> None:
        if self._vectors is not None and texts:
            await self._vectors.aembed_documents(list(texts))


class Vectors(Embeddings):
    """The newest vectors, so that nothing is asked of the embedder while the database is held."""

    def __init__(self, index: StoreIndex) -> None:
        self._index = index
        self._kept: OrderedDict[str, list[float]] = OrderedDict()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Refuse: the library's asynchronous store never asks so."""
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        """Refuse: the library's asynchronous store never asks so."""
        raise NotImplementedError

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of a text. Raises Problem."""
        return (await self.aembed_documents([text]))[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts. Raises Problem where the embedder gives none."""
        cut = [text[:_LONGEST_TEXT] for text in texts]
        known = {text: self._kept[text] for text in cut if text in self._kept}
        if missing := [text for text in dict.fromkeys(cut) if text not in known]:
            known |= zip(missing, await self._embedded(missing), strict=True)
        for text in known:
            self._kept[text] = known[text]
            self._kept.move_to_end(text)
        while len(self._kept) > _KEPT_VECTORS:
            self._kept.popitem(last=False)
        return [known[text] for text in cut]

    async def _embedded(self, texts: list[str]) -> list[list[float]]:
        # It is a service of others, or a user's code, and may raise anything.
        [found] = await asyncio.gather(self._index.embed(texts), return_exceptions=True)
        if isinstance(found, Exception):
            _log.warning("the embedder failed", exc_info=found)
            raise Problem(503, f"The embedder of the store does not answer: {type(found).__name__}.")
        if isinstance(found, BaseException):
            raise found
        sizes = {len(row) for row in found}
        if len(found) != len(texts) or len(sizes) != 1 or (self._index.dims and sizes != {self._index.dims}):
            told = f"{len(found)} vectors of {sorted(sizes)} numbers for {len(texts)} texts"
            raise Problem(500, f"The embedder of the store gave {told}; dims is {self._index.dims}.")
        return [[float(number) for number in row] for row in found]
