"""Documents of this channel that may be damaged."""

from __future__ import annotations

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from parley.core.ports import Document
from parley.core.readable import note_damage

_Value = TypeVar("_Value")


def read(adapter: TypeAdapter[_Value], document: Document) -> _Value | None:
    """The value of a document that is there; None, and a line in the log, where it cannot be read."""
    try:
        return adapter.validate_json(document.body)
    except ValidationError:
        note_damage(document.key)
        return None
