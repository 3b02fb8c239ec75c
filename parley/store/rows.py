"""Rows of either engine's tables as the journal's values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from parley.core.model.usage import NO_USAGE, Usage
from parley.core.ports.journal import Document, QueueItem
from parley.core.ports.store_admin import ItemState, StoredItem

Row: TypeAlias = tuple[Any, ...]  # the columns' types are the schema's

ITEM_STATES = (ItemState.WAITING, ItemState.DONE, ItemState.DEAD, ItemState.CANCELLED)
"""The states of an item, in the order of their numbers in the tables."""


def parse_items(rows: Iterable[Row]) -> tuple[QueueItem, ...]:
    """Return the items that rows of an item's columns are."""
    return tuple(QueueItem(*row) for row in rows)


def parse_stored_items(rows: Iterable[Row]) -> tuple[StoredItem, ...]:
    """Return the items that rows of an item's columns, its state, a reason and whether it is held are."""
    return tuple(
        StoredItem(QueueItem(*item), ITEM_STATES[state], why, bool(held)) for *item, state, why, held in rows
    )


def parse_documents(rows: Iterable[Row]) -> tuple[Document, ...]:
    """Return the documents that rows of key, body and version are."""
    return tuple(Document(*row) for row in rows)


def parse_dated_documents(rows: Iterable[Row]) -> tuple[tuple[float, Document], ...]:
    """Return the documents that rows of a time, key, body and version are, each with its time."""
    return tuple((float(at), Document(*document)) for at, *document in rows)


def parse_documents_of_hours(rows: Iterable[Row]) -> tuple[tuple[int, Document], ...]:
    """Return the documents that rows of an hour, key, body and version are, each with its hour."""
    return tuple((int(hour), Document(*document)) for hour, *document in rows)


def order_documents(keys: Sequence[str], rows: Iterable[Row]) -> tuple[Document, ...]:
    """Return one document for each key; version 0 for what does not exist."""
    found = {document.key: document for document in parse_documents(rows)}
    return tuple(found.get(key) or Document(key, "", 0) for key in keys)


def order_counters(names: Sequence[str], rows: Iterable[Row]) -> tuple[Usage, ...]:
    """Return the usage under each name, out of rows of a name and its amounts."""
    found = {name: Usage(*amounts) for name, *amounts in rows}
    return tuple(found.get(name, NO_USAGE) for name in names)
