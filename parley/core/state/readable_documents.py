"""Documents of a list, without those that cannot be read: one that is damaged must not hide all others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from parley.core.model.codec import decode
from parley.core.ports.journal import Document, DocumentRepository, iter_documents

log = logging.getLogger(__name__)

_Value = TypeVar("_Value")

_PAGE = 200
_PAUSE = 0.02
"""Seconds between two pages: there may be a document for each of a million conversations."""


async def iter_readable(
    documents: DocumentRepository, kind: type[_Value], prefix: str, after: str = ""
) -> AsyncIterator[tuple[_Value, Document]]:
    """Yield the values under a prefix with their documents, in key order. Raises StoreUnavailable."""
    async for document in iter_documents(documents, prefix, after):
        value = decode_readable(kind, document)
        if value is not None:
            yield value, document


def decode_readable(kind: type[_Value], document: Document) -> _Value | None:
    """Return the value of a document; None, and a line in the log, where it cannot be read."""
    try:
        return decode(kind, document.body)
    except (ValueError, RecursionError):
        log_unreadable(document.key)
        return None


@lru_cache(maxsize=1_000)
def log_unreadable(key: str) -> None:
    """Log once that a document is left out; never what stands in it."""
    log.error("the document %s is damaged and is left out; the others are not touched by it", key)


async def iter_found(
    documents: DocumentRepository, prefix: str, look: Callable[[Sequence[Document]], Iterable[_Value]]
) -> AsyncIterator[_Value]:
    """Yield what a `look` at each page of documents finds, for work that has time: it is read beside the
    loop, with pauses. Raises StoreUnavailable.
    """
    after = ""
    while page := await documents.list(prefix, _PAGE, after):
        for found in await asyncio.to_thread(lambda each: list(look(each)), page):
            yield found
        after = page[-1].key
        await asyncio.sleep(_PAUSE)
