"""Documents of a channel in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document


class KeptDocuments:
    """Versioned documents that live as long as their owner."""

    def __init__(self) -> None:
        self._kept: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self._kept.get(key, Document(key, "", 0))

    async def set(self, document: Document) -> Document:
        if (await self.get(document.key)).version != document.version:
            raise DocumentConflict(document.key)
        self._kept[document.key] = replace(document, version=document.version + 1)
        return self._kept[document.key]

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        keys = sorted(key for key in self._kept if key.startswith(prefix) and key > after)
        return [self._kept[key] for key in keys[:limit]]

    async def delete(self, key: str) -> None:
        self._kept.pop(key, None)
