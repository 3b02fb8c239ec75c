"""Documents for a channel that keeps none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from parley.core.ports.journal import Document


class NoDocuments:
    """Fails whoever reads or writes a document."""

    async def get(self, key: str) -> Document:
        _fail(key)

    async def set(self, document: Document) -> Document:
        _fail(document.key)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        _fail(prefix)

    async def delete(self, key: str) -> None:
        _fail(key)


def _fail(key: str) -> NoReturn:
    raise NotImplementedError(key)
