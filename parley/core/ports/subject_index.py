"""The port to the index of whom documents are about, and since when they are kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, runtime_checkable

from parley.core.ports.journal import Document, DocumentRepository, iter_documents
from parley.core.ports.subjects import UNDATED, document_time, hour_number

OLDEST = (UNDATED + 1, "")
"""After it come all documents that have a time."""

_PAGE = 500
_DATED_PAGE = 100


@runtime_checkable
class SubjectIndex(Protocol):
    """What finds the documents about somebody without reading those about others."""

    async def documents_about(
        self, names: Sequence[str], prefix: str, limit: int = 1000, after: str = ""
    ) -> Sequence[Document]:
        """Return documents with this prefix and a key beyond `after`, in key order, that are about one of
        `names`: keys of accounts and conversations (core.ports.subjects tells which documents are found so).

        There may be others among them, and while the index of older documents is being made there are.
        Raises StoreUnavailable.
        """
        ...

    async def documents_until(
        self, hour: int, prefix: str, limit: int = 1000, after: tuple[int, str] = OLDEST
    ) -> Sequence[tuple[int, Document]] | None:
        """Return documents with this prefix (of core.ports.subjects.DATED_DOCUMENTS) up to an hour, oldest
        first, each with its hour; the next page comes after the last one's hour and key.

        None while the index of older documents is being made. Raises StoreUnavailable.
        """
        ...


async def iter_about(
    documents: DocumentRepository, names: Sequence[str], prefix: str
) -> AsyncIterator[Document]:
    """Yield the documents with this prefix that are about one of `names`, and perhaps others, in key order.

    Where the documents have no index, that is all of them. Raises StoreUnavailable.
    """
    if not isinstance(documents, SubjectIndex):
        async for document in iter_documents(documents, prefix):
            yield document
        return
    after = ""
    while found := await documents.documents_about(names, prefix, _PAGE, after):
        for document in found:
            yield document
        if len(found) < _PAGE:
            return
        after = found[-1].key


async def iter_before(documents: DocumentRepository, prefix: str, until: float) -> AsyncIterator[Document]:
    """Yield the documents with this prefix (of core.ports.subjects.DATED_DOCUMENTS) whose time is before
    `until` (Unix seconds), while they may be deleted.

    Where the documents have no index, or it is not whole, all are read. Raises StoreUnavailable.
    """
    async for document in _iter_until_hour(documents, prefix, hour_number(until)):
        at = document_time(document.key, document.body)
        if at is not None and at < until:
            yield document


async def _iter_until_hour(documents: DocumentRepository, prefix: str, hour: int) -> AsyncIterator[Document]:
    if isinstance(documents, SubjectIndex):
        after = OLDEST
        while found := await documents.documents_until(hour, prefix, _DATED_PAGE, after):
            for _, document in found:
                yield document
            after = found[-1][0], found[-1][1].key
        if found is not None:
            return
    async for document in iter_documents(documents, prefix):
        yield document
