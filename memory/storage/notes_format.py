"""JSON format of notes, and of a memory and its notes in one row."""

from __future__ import annotations

from dataclasses import dataclass, field

from parley.core.model.codec import decode, encode
from parley.memory.model.document import (
    NOTHING_KEPT_OUT,
    KeptOut,
    MemoryDocument,
    Notes,
    SentenceOrigin,
    Tombstone,
)
from parley.memory.storage.undo_patches import UndoPatch, apply_patches, make_patches


@dataclass(frozen=True, slots=True)
class SavedNotes:
    """Notes with the earlier versions as patches."""

    generation: int = 0
    off: bool = False
    tombstones: tuple[Tombstone, ...] = ()
    watermarks: dict[str, str] = field(default_factory=dict)
    past: tuple[UndoPatch, ...] = ()
    last_id: str = ""
    came: tuple[SentenceOrigin, ...] = ()
    forgot: bool = False
    kept_out: KeptOut = NOTHING_KEPT_OUT


@dataclass(frozen=True, slots=True)
class NotesFile:
    """The notes file: its person, its notes, and the digest of the document that they belong to.

    Two files cannot be replaced atomically: this one is written first, with the notes of `before` still in
    it. They count as long as the document is the old one; so both change when the document does.
    """

    person: str = ""
    document: str = ""
    notes: SavedNotes = field(default_factory=SavedNotes)
    document_before: str = ""
    before: SavedNotes | None = None

    def notes_of(self, digest: str) -> SavedNotes:
        """Return the notes of the document with this digest; those of a hand-edited one are the newest."""
        if self.before is not None and digest == self.document_before != self.document:
            return self.before
        return self.notes


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A document and its notes as one value."""

    document: str
    notes: SavedNotes


def saved_notes(notes: Notes, document: MemoryDocument) -> SavedNotes:
    """Return notes as they are written beside this document."""
    return SavedNotes(
        generation=notes.generation,
        off=notes.off,
        tombstones=notes.tombstones,
        watermarks=notes.watermarks,
        past=make_patches(document, notes.past),
        last_id=notes.last_id,
        came=notes.came,
        forgot=notes.forgot,
        kept_out=notes.kept_out,
    )


def restored_notes(saved: SavedNotes, document: MemoryDocument) -> Notes:
    """Return the notes that were saved; the inverse of `saved_notes`."""
    return Notes(
        generation=saved.generation,
        off=saved.off,
        tombstones=saved.tombstones,
        watermarks=dict(saved.watermarks),
        past=apply_patches(document, saved.past),
        last_id=saved.last_id,
        came=saved.came,
        forgot=saved.forgot,
        kept_out=saved.kept_out,
    )


def read_notes(text: str) -> NotesFile:
    """Parse a notes file. Raises ValueError when it is not one."""
    file = decode(NotesFile, text)
    # Decoded values may be of any type where a text, a number or a mapping is expected.
    for notes in (file.notes, file.before or file.notes):
        if (type(notes.generation), type(notes.off), type(notes.watermarks)) != (int, bool, dict):
            raise ValueError("not the notes of a memory")
    return file


notes_json = encode
row_json = encode


def read_row(text: str) -> MemoryRow:
    """Parse a row. Raises ValueError when it is not one."""
    return decode(MemoryRow, text)
