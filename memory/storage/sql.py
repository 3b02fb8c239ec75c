"""SQL storage of memories: one document for each, whose version is its revision."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from urllib.parse import quote, unquote

from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, DocumentRepository
from parley.memory.model.document import MemoryDocument, Notes, StoredMemory, clear
from parley.memory.storage.atomic_files import digest
from parley.memory.storage.document_format import ParsedDocument, document_json, read_document
from parley.memory.storage.notes_format import MemoryRow, read_row, restored_notes, row_json, saved_notes
from parley.memory.worker_thread import WorkerThread

log = logging.getLogger(__name__)

_PREFIX = "memory/"
_ASIDE = "memory-aside/"
_LAST = chr(0x10FFFF)
_PAGE = 100
# Characters and facts up to which a row is parsed and made on the loop, within 1 ms.
_BIG = 20_000
_MANY = 100
_MOST_KEPT = 256


class SqlMemoryStore:
    """Stores memories as documents `memory/{person}/{assistant}`, both percent-escaped.

    Unreadable rows are moved to `memory-aside/...`, as unreadable files are renamed.
    """

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents
        self._thread = WorkerThread()
        self._lately: OrderedDict[str, StoredMemory] = OrderedDict()
        # Versions of rows whose damage is in the log, so that it stands there once.
        self._logged: dict[str, int] = {}

    async def load(self, person: str, assistant: str = "") -> StoredMemory:
        """Return the memory as it is now. Raises StoreUnavailable."""
        return await self._read(await self._documents.get(_key(person, assistant)))

    async def save(self, person: str, stored: StoredMemory, assistant: str = "") -> StoredMemory:
        """Save if the memory is as it was read. Raises DocumentConflict, StoreUnavailable."""
        many = len(stored.document.facts) > _MANY or bool(stored.notes.past)
        body = await self._thread.run_in_thread(partial(_row_of, stored)) if many else _row_of(stored)
        document = Document(_key(person, assistant), body, int(stored.revision or "0"))
        written = await self._documents.set(document)
        return self._keep(document.key, replace(stored, revision=str(written.version)))

    async def people_page(self, after: str, limit: int) -> Sequence[str]:
        """Return the next persons after one, in the order of the keys. Raises StoreUnavailable."""
        found, start = dict[str, None](), f"{_PREFIX}{quote(after, safe='')}/{_LAST}" if after else ""
        while len(found) < limit and (page := await self._documents.list(_PREFIX, _PAGE, start)):
            found.update(dict.fromkeys(await self._thread.run_in_thread(partial(_remembered, page))))
            start = page[-1].key
        return list(found)[:limit]

    async def erase(self, person: str) -> None:
        """Remove everything of a person but the generation. Raises StoreUnavailable."""
        mine = f"{quote(person, safe='')}/"
        keys = {_key(person, "")} | {document.key async for document in self._all(_PREFIX + mine)}
        for key in sorted(keys):
            await self._empty(key)
        async for document in self._all(_ASIDE + mine):
            await self._documents.delete(document.key)

    async def _empty(self, key: str) -> None:
        while True:
            document = await self._documents.get(key)
            emptied = clear(await self._read(document))
            notes = replace(saved_notes(emptied.notes, emptied.document), watermarks={})
            row = MemoryRow("", notes)
            try:
                await self._documents.set(replace(document, body=row_json(row)))
            except DocumentConflict:
                continue
            self._lately.pop(key, None)
            return

    async def _all(self, prefix: str, after: str = "") -> AsyncIterator[Document]:
        while page := await self._documents.list(prefix, _PAGE, after):
            for document in page:
                yield document
            after = page[-1].key

    async def _read(self, document: Document) -> StoredMemory:
        if not document.body:
            return StoredMemory(revision=str(document.version) if document.version else "")
        known = self._lately.get(document.key)
        if known is not None and known.revision == str(document.version):
            return self._keep(document.key, known)
        parse = partial(_parsed, document.body)
        try:
            found, notes = await self._thread.run_in_thread(parse) if len(document.body) > _BIG else parse()
        except ValueError as error:
            await self._set_aside(document, document.body)
            if self._logged.get(document.key) != document.version:
                self._logged[document.key] = document.version
                log.error(
                    "the memory %s cannot be read (%s); it is kept under %s", document.key, error, _ASIDE
                )
            return StoredMemory(revision=str(document.version), damaged=document.key)
        for entry in found.rejected:
            await self._set_aside(document, entry)
        return self._keep(document.key, StoredMemory(found.document, notes, str(document.version)))

    def _keep(self, key: str, stored: StoredMemory) -> StoredMemory:
        """Cache a memory by its revision: most are read far more often than written."""
        self._lately[key] = stored
        self._lately.move_to_end(key)
        if len(self._lately) > _MOST_KEPT:
            self._lately.popitem(last=False)
        return stored

    async def _set_aside(self, document: Document, text: str) -> None:
        """Keep a copy of a row that cannot be read, once."""
        key = f"{_ASIDE}{document.key.removeprefix(_PREFIX)}/{digest(text.encode())[:16]}"
        there = await self._documents.get(key)
        if not there.version:
            with suppress(DocumentConflict):  # another node did it first
                await self._documents.set(replace(there, body=text))


def _row_of(stored: StoredMemory) -> str:
    return row_json(MemoryRow(document_json(stored.document), saved_notes(stored.notes, stored.document)))


def _parsed(body: str) -> tuple[ParsedDocument, Notes]:
    """Parse a row's memory. Raises ValueError."""
    row = read_row(body)
    found = read_document(row.document)
    return found, restored_notes(row.notes, found.document)


def _remembered(page: Sequence[Document]) -> list[str]:
    """Return whose memories these are, without the empty ones and those that cannot be read.

    They are not cached: those in use would have to go for them.
    """
    found = []
    for document in page:
        with suppress(ValueError):  # whoever loads it sets it aside
            if document.body and _parsed(document.body)[0].document != MemoryDocument():
                found.append(unquote(document.key.removeprefix(_PREFIX).split("/")[0]))
    return found


def _key(person: str, assistant: str) -> str:
    return f"{_PREFIX}{quote(person, safe='')}/{quote(assistant, safe='')}"
