"""Documents of this channel that may be damaged."""

from __future__ import annotations

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from parley.core.ports.journal import Document
from parley.core.state.readable_documents import log_unreadable

_Value = TypeVar("_Value")


def read_document(adapter: TypeAdapter[_Value], document: Document) -> _Value | None:
    """Return the value of a document that is there; None, and a line in the log, where it cannot be read."""
    try:
        return adapter.validate_json(document.body)
    except ValidationError:
        log_unreadable(document.key)
        return None
