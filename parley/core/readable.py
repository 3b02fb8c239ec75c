"""Documents of a list, without those that cannot be read: one that is damaged must not hide all others."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import TypeVar

from parley.core.codec import decode
from parley.core.journal import every
from parley.core.ports import Document, Documents

log = logging.getLogger(__name__)

_Value = TypeVar("_Value")


async def readable(
    documents: Documents, kind: type[_Value], prefix: str, after: str = ""
) -> AsyncIterator[tuple[_Value, Document]]:
    """The values under a prefix with their documents, in key order. Raises StoreUnavailable."""
    async for document in every(documents, prefix, after):
        try:
            value = decode(kind, document.body)
        except (ValueError, RecursionError):
            note_damage(document.key)
            continue
        yield value, document


@lru_cache(maxsize=1_000)
def note_damage(key: str) -> None:
    """Log once that a document is left out; never what stands in it."""
    log.error("the document %s is damaged and is left out; the others are not touched by it", key)
