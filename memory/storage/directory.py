"""Folder of one memory: `memory.json`, its notes beside it, and what was quarantined of either.

All methods block on the disk: call them on a thread, with the lock held.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from parley.core.model.errors import DocumentConflict
from parley.memory.model.document import MemoryDocument, StoredMemory, clear
from parley.memory.storage import atomic_files
from parley.memory.storage.document_format import ParsedDocument, document_json, read_document
from parley.memory.storage.notes_format import NotesFile, notes_json, read_notes, restored_notes, saved_notes

log = logging.getLogger(__name__)

DOCUMENT = "memory.json"
NOTES = "memory.notes.json"
QUARANTINE = "memory.quarantine.jsonl"
_DAMAGED = f"{DOCUMENT}.corrupt-"
# An editor that writes in place leaves half a file for a moment: one this recent is read again.
_FRESH = 2.0
_LOOKS = 5


class MemoryDirectory:
    """A memory's files. `pause` passes between two reads of a file that is being written."""

    def __init__(self, path: Path, person: str, pause: Callable[[], None]) -> None:
        self.path = path
        self._person = person
        self._pause = pause
        self.files = self._document, self._notes = path / DOCUMENT, path / NOTES

    def revision(self) -> str:
        """Return the revision of both files; empty where there is none."""
        return _revision(atomic_files.read(self._document), atomic_files.read(self._notes))

    def load(self) -> StoredMemory:
        """Load the memory. An unreadable file is renamed, an unreadable entry is copied aside."""
        content, document = self._read_document()
        notes = atomic_files.read(self._notes)
        file = self._read_notes(notes)
        if file is None:
            notes, file = atomic_files.FileSnapshot(), NotesFile()
        kept = restored_notes(file.notes_of(content.digest), document)
        return StoredMemory(document, kept, _revision(content, notes), self.damaged())

    def damaged(self) -> str:
        """Return the name of the newest document that was set aside and is still there."""
        try:
            names = os.listdir(self.path)  # noqa: PTH208
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return max((name for name in names if name.startswith(_DAMAGED)), default="")

    def save(self, stored: StoredMemory) -> StoredMemory:
        """Write both files, or only the notes where the document is the same.

        Raises DocumentConflict, OSError.
        """
        content, notes = atomic_files.read(self._document), atomic_files.read(self._notes)
        if _revision(content, notes) != stored.revision:
            raise DocumentConflict(f"{self._document} changed since it was read")
        if not content.digest:
            # So that a document absent later is known to have been removed, rather than never written.
            atomic_files.write([(self._document, document_json(MemoryDocument()).encode())])
            content = atomic_files.read(self._document)
        data = document_json(stored.document).encode()
        before = (self._read_notes(notes) or NotesFile()).notes_of(content.digest)
        file = NotesFile(
            person=self._person,
            document=atomic_files.digest(data),
            notes=saved_notes(stored.notes, stored.document),
            document_before=content.digest,
            before=before,
        )
        document = [] if data == content.data else [(self._document, data)]
        # Checked again at the last moment: writing takes long enough for an editor to save meanwhile.
        atomic_files.write(
            [(self._notes, notes_json(file).encode()), *document],
            unless=lambda: atomic_files.read(self._document) != content,
        )
        if (file.notes.tombstones, file.notes.generation) != (before.tombstones, before.generation):
            # No copy of forgotten facts may stay: the earlier notes are not needed any more.
            file = replace(file, document_before="", before=None)
            atomic_files.write([(self._notes, notes_json(file).encode())])
        return replace(stored, revision=self._written(data))

    def _written(self, data: bytes) -> str:
        """Return the revision after a write; an unused one if somebody wrote right after us."""
        content = atomic_files.read(self._document)
        return _revision(content, atomic_files.read(self._notes)) if content.data == data else "overtaken"

    def erase(self) -> None:
        """Remove every file but the notes, of which the generation and the switch stay.

        Raises DocumentConflict, OSError.
        """
        stored = self.load()
        emptied = clear(stored)
        self.save(replace(emptied, notes=replace(emptied.notes, watermarks={})))
        for entry in sorted(self.path.iterdir()):
            if entry.is_file() and entry.name != NOTES:
                os.unlink(entry)  # noqa: PTH108 - as in memory/storage/atomic_files.py
        atomic_files.flush_folder(self.path)

    def _read_document(self) -> tuple[atomic_files.FileSnapshot, MemoryDocument]:
        content = atomic_files.read(self._document)
        found = _parsed(content)
        for _ in range(_LOOKS - 1):
            readable = content.data and not isinstance(found, ValueError)
            if readable or time.time() - content.modified / 1e9 >= _FRESH:
                break
            # Empty or half a file: somebody may be writing it.
            self._pause()
            content = atomic_files.read(self._document)
            found = _parsed(content)
        if isinstance(found, ValueError):
            self._set_aside(self._document, found)
            return atomic_files.FileSnapshot(), MemoryDocument()
        self._quarantine(found)
        return content, found.document

    def _read_notes(self, content: atomic_files.FileSnapshot) -> NotesFile | None:
        """Return the notes; None when they cannot be read, and then they are moved aside."""
        if not content.data:
            return NotesFile()
        try:
            return read_notes(content.data.decode())
        except ValueError as error:
            self._set_aside(self._notes, error)
            return None

    def _set_aside(self, path: Path, error: ValueError) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        aside = path.with_name(f"{path.name}.corrupt-{stamp}")
        os.rename(path, aside)  # noqa: PTH104
        atomic_files.flush_folder(self.path)
        log.error(
            "%s cannot be read (%s). It is now %s, and an empty one takes its place. "
            "To have it back: repair that file, and give it its name again. Until then, or until the person "
            "clears their memory, nothing is learned.",
            path,
            error,
            aside.name,
        )

    def _quarantine(self, found: ParsedDocument) -> None:
        """Copy unreadable entries to a file beside, once each: the next save leaves them out."""
        if not found.rejected:
            return
        path = self.path / QUARANTINE
        there = atomic_files.read(path).data.decode("utf-8", "replace")
        known = set(there.splitlines())
        lines = [line for line in map(_line, found.rejected) if line not in known]
        if lines:
            atomic_files.write([(path, (there + "".join(f"{line}\n" for line in lines)).encode())])
            log.warning(
                "%s has %d entries that cannot be read; they are kept in %s, and the rest is used",
                self._document,
                len(lines),
                path.name,
            )


def _parsed(content: atomic_files.FileSnapshot) -> ParsedDocument | ValueError:
    try:
        return read_document(content.data.decode("utf-8-sig"))
    except ValueError as error:
        return error


def _line(entry: str) -> str:
    """Return JSON on one line, whatever characters a reader takes for a line's end."""
    return json.dumps(json.loads(entry))


def _revision(document: atomic_files.FileSnapshot, notes: atomic_files.FileSnapshot) -> str:
    return f"{document.revision}/{notes.revision}" if document.digest or notes.digest else ""
