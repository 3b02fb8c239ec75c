"""The port to the index of whom documents are about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, runtime_checkable

from parley.core.ports.journal import Document, DocumentRepository, iter_documents

_PAGE = 500


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
