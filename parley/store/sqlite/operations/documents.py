"""Versioned values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document
from parley.core.ports.subjects import document_subjects
from parley.store.rows import parse_dated_documents
from parley.store.sqlite.execution.reader import Reader
from parley.store.sqlite.execution.transaction import Transaction, as_list
from parley.store.sqlite.operations import sql

HIGHEST = chr(0x10FFFF)  # sorts after every key that goes on from a prefix


def page_range(prefix: str, after: str) -> tuple[str, str]:
    """Return the first key that a page may have, and the first behind the prefix: of keys above `after`."""
    return max(prefix, f"{after}\0" if after else ""), prefix + HIGHEST


async def feedback_before(
    reader: Reader, before: tuple[float, str], since: float, limit: int
) -> Sequence[tuple[float, Document]]:
    """Return a page of feedback; see core.ports.feedback. Raises StoreUnavailable."""
    return parse_dated_documents(await reader.rows(sql.FEEDBACK_PAGE, *before, since, limit))


def write(tx: Transaction, document: Document) -> Document:
    """Write if the stored version is still the document's. Raises DocumentConflict."""
    about = as_list(document_subjects(document.key, document.body))
    if document.version:
        written = tx.change(sql.UPDATE, document.body, about, document.key, document.version)
        version = document.version + 1 if written else 0
    else:
        version = next((made for (made,) in tx.rows(sql.CREATE, document.key, document.body, about)), 0)
    if not version:
        raise DocumentConflict(f"{document.key} changed since it was read")
    return replace(document, version=version)


def delete(tx: Transaction, key: str) -> None:
    """Remove a document, remembering how far its versions went."""
    for (version,) in tx.rows(sql.DELETE, key):
        tx.change(sql.DELETED, version)
