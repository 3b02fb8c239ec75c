"""Version history of a memory: every change keeps the last versions, for undo."""

from __future__ import annotations

from dataclasses import replace

from parley.memory.model.document import MemoryDocument, StoredMemory

PAST_VERSIONS = 5


def replace_document(stored: StoredMemory, document: MemoryDocument, at: str) -> StoredMemory:
    """Return the memory with a new document, the old one kept for undo; unchanged if nothing is new."""
    if document == stored.document:
        return stored
    past = (stored.document, *stored.notes.past)[:PAST_VERSIONS]
    return replace(stored, document=replace(document, updated_at=at), notes=replace(stored.notes, past=past))
