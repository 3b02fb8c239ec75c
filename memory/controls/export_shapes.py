"""A memory in the shapes in which others keep theirs (pure)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import orjson

from parley.core.model.types import Json
from parley.core.ports.memory.controls import ExportShape
from parley.memory.model.document import Fact, MemoryDocument
from parley.memory.storage.document_format import document_json

_INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def export_document(document: MemoryDocument, shape: ExportShape, person: str) -> str:
    """Return the document as JSON of this shape. Other shapes than our own have the facts only."""
    return _WRITERS[shape](document, person)


def _mem0(document: MemoryDocument, person: str) -> str:
    return _json({"results": [_mem0_entry(fact, person) for fact in document.facts]})


def _mem0_entry(fact: Fact, person: str) -> dict[str, Json]:
    labels: dict[str, Json] = {"category": fact.category, "confidence": fact.confidence}
    if fact.until:
        labels["until"] = fact.until
    return {
        "id": fact.id,
        "memory": fact.content,
        "user_id": person,
        "metadata": labels,
        "created_at": fact.created_at or None,
        "updated_at": fact.last_said or None,
    }


def _chatgpt(document: MemoryDocument, person: str) -> str:
    entries: list[Json] = [
        {
            "content": fact.content,
            "enabled": not fact.until,
            "created_at": fact.created_at or None,
            "updated_at": fact.last_said or None,
        }
        for fact in document.facts
    ]
    return _json(entries)


def _json(value: Json) -> str:
    return orjson.dumps(value, option=_INDENTED).decode()


_WRITERS: Mapping[ExportShape, Callable[[MemoryDocument, str], str]] = {
    ExportShape.PARLEY: lambda document, _: document_json(document),
    ExportShape.MEM0: _mem0,
    ExportShape.CHATGPT: _chatgpt,
}
