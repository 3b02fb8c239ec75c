"""Documents as they were asked for, out of those that there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parley.core.ports.journal import Document


def order_documents(keys: Sequence[str], found: Iterable[Document]) -> tuple[Document, ...]:
    """One for each key; version 0 for what does not exist."""
    by_key = {document.key: document for document in found}
    return tuple(by_key.get(key) or Document(key, "", 0) for key in keys)
