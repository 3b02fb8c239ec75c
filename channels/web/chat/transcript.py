"""The transcript: every message and reply as a document of its own.

Key of an entry: `web/log/<chat>/<topic or ->/<descending time>-<hash of its id>`, so that a listing
begins with the newest. `web/id/<hash>` holds the key of the entry of that id: whoever writes it first
decides the place, which makes adding an entry idempotent across retries, crashes and nodes.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from parley.channels.web.chat.entries import ENTRY, EntryLocation, SharedFile, TranscriptEntry
from parley.channels.web.documents import read_document
from parley.channels.web.files.file_ref import FileRef
from parley.core.model.errors import DocumentConflict
from parley.core.model.feedback import FeedbackChoice
from parley.core.model.questions import Question
from parley.core.ports.journal import Document, DocumentRepository, update_document

SLICE = 200
"""Entries that are deleted together: nobody waits long behind them."""

_FAR = 10**16
_CURSOR = re.compile(r"[0-9]{16}-[0-9a-f]{6}")


class MisplacedEntry(Exception):
    """The id is taken by an entry of another conversation."""


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """Some entries in order of time; `before` is the cursor of the page before this one, "" at the start."""

    entries: tuple[TranscriptEntry, ...]
    before: str


def is_cursor(given: str) -> bool:
    """Return whether a page could have said this of the page before it."""
    return _CURSOR.fullmatch(given) is not None


def _hash(role: str, entry_id: str) -> str:
    return hashlib.sha256(f"{role}:{entry_id}".encode()).hexdigest()[:32]


class ChatTranscript:
    """Entries by place and time."""

    def __init__(self, documents: DocumentRepository, clock: Callable[[], float]) -> None:
        self._documents = documents
        self._clock = clock
        self._last = 0

    async def reserve(self, place: EntryLocation, role: str, entry_id: str) -> int:
        """Decide the place in time of an entry, once. Raises StoreUnavailable, MisplacedEntry."""
        return self._position(await self._key(place, role, entry_id))

    async def add(self, place: EntryLocation, entry: TranscriptEntry) -> tuple[TranscriptEntry, bool]:
        """Keep an entry, its `pos` set; returns what is kept, and whether it is new.

        An entry of this id that is there already stays as it is. Raises StoreUnavailable, MisplacedEntry.
        """
        key = await self._key(place, entry.role, entry.id)
        entry = replace(entry, pos=self._position(key))
        try:
            await self._documents.set(Document(key, ENTRY.dump_json(entry).decode(), 0))
        except DocumentConflict:
            stored = await self._documents.get(key)
            return read_document(ENTRY, stored) or entry, False
        return entry, True

    async def find(self, place: EntryLocation, entry_id: str) -> TranscriptEntry | None:
        """Return the entry of that id in this chat, whichever topic it stands in."""
        for role in ("user", "agent"):
            index = await self._documents.get(f"web/id/{_hash(role, entry_id)}")
            if index.version and index.body.startswith(f"web/log/{place.chat}/"):
                stored = await self._documents.get(index.body)
                return read_document(ENTRY, stored) if stored.version else None
        return None

    async def change(
        self, place: EntryLocation, entry_id: str, *, text: str, question: Question | None
    ) -> TranscriptEntry | None:
        """Rewrite an entry of the agent's; None where it is gone. Raises StoreUnavailable."""
        return await self._changed(
            place, "agent", entry_id, lambda entry: replace(entry, text=text, question=question)
        )

    async def reply(self, place: EntryLocation, entry_id: str) -> TranscriptEntry | None:
        """Return an entry of the agent's; None where it is gone. Raises StoreUnavailable."""
        index = await self._documents.get(f"web/id/{_hash('agent', entry_id)}")
        if not index.version or not index.body.startswith(place.prefix):
            return None
        stored = await self._documents.get(index.body)
        return read_document(ENTRY, stored) if stored.version else None

    async def rate(
        self, place: EntryLocation, entry_id: str, rating: FeedbackChoice
    ) -> TranscriptEntry | None:
        """Note what the person thinks of a reply; None where it is gone. Raises StoreUnavailable."""
        return await self._changed(place, "agent", entry_id, lambda entry: replace(entry, rating=rating))

    async def edit(
        self, place: EntryLocation, entry_id: str, edit_id: str, text: str
    ) -> TranscriptEntry | None:
        """Rewrite a message of the person's, once for each edit; None where it is gone.

        Raises StoreUnavailable.
        """

        def change(entry: TranscriptEntry) -> TranscriptEntry:
            if entry.edit == edit_id:
                return entry
            return replace(entry, text=text, edited=self._now(), edit=edit_id)

        return await self._changed(place, "user", entry_id, change)

    async def withdraw(self, place: EntryLocation, entry_id: str) -> TranscriptEntry | None:
        """Mark a message of the person's as taken back; None where it is gone. Raises StoreUnavailable."""
        return await self._changed(place, "user", entry_id, lambda entry: replace(entry, withdrawn=True))

    async def _changed(
        self,
        place: EntryLocation,
        role: str,
        entry_id: str,
        change: Callable[[TranscriptEntry], TranscriptEntry],
    ) -> TranscriptEntry | None:
        index = await self._documents.get(f"web/id/{_hash(role, entry_id)}")
        if not index.version or not index.body.startswith(place.prefix):
            return None

        def changed(stored: Document) -> tuple[TranscriptEntry | None, str | None]:
            known = read_document(ENTRY, stored) if stored.version else None
            if known is None:
                return None, None
            entry = change(known)
            return entry, ENTRY.dump_json(entry).decode()

        return await update_document(self._documents, index.body, changed)

    async def page(self, place: EntryLocation, before: str = "", limit: int = 60) -> TranscriptPage:
        """Return the newest entries, or those older than `before`. Raises StoreUnavailable."""
        after = place.prefix + before if before else ""
        found = await self._documents.list(place.prefix, limit=limit, after=after)
        entries = tuple(entry for document in reversed(found) if (entry := read_document(ENTRY, document)))
        full = len(found) == limit
        return TranscriptPage(entries, found[-1].key.removeprefix(place.prefix) if full else "")

    async def files(self, place: EntryLocation, most: int) -> Sequence[SharedFile]:
        """Return the newest files of a place, the newest first. Raises StoreUnavailable."""
        found: list[SharedFile] = []
        before, more = "", True
        while more and len(found) < most:
            page = await self.page(place, before, limit=200)
            for entry in reversed(page.entries):
                found += [SharedFile(entry.id, entry.role, entry.pos, each) for each in entry.files]
            before = page.before
            more = bool(before)
        return found[:most]

    async def erase(self, prefix: str, let_go: Callable[[FileRef], Awaitable[None]]) -> int:
        """Delete every entry under a prefix, a slice at a time; returns how many. Raises StoreUnavailable.

        Each file of theirs is `let_go` before its entry: nothing else tells of it.
        """
        erased = 0
        while found := await self._documents.list(prefix, limit=SLICE):
            entries = [entry for document in found if (entry := read_document(ENTRY, document))]
            await asyncio.gather(*(let_go(file) for entry in entries for file in entry.files))
            ids = [f"web/id/{_hash(entry.role, entry.id)}" for entry in entries]
            await self._delete([*ids, *(document.key for document in found)])
            erased += len(entries)
        return erased

    async def clear(self, let_go: Callable[[FileRef], Awaitable[None]]) -> int:
        """Delete every entry and every id; returns how many entries. Raises StoreUnavailable."""
        erased = await self.erase("web/log/", let_go)
        while found := await self._documents.list("web/id/", limit=SLICE):
            await self._delete([document.key for document in found])
        return erased

    async def _delete(self, keys: Sequence[str]) -> None:
        """Delete documents together: the store makes one transaction of them."""
        await asyncio.gather(*map(self._documents.delete, keys))

    async def _key(self, place: EntryLocation, role: str, entry_id: str) -> str:
        digest = _hash(role, entry_id)
        index = await self._documents.get(f"web/id/{digest}")
        if not index.version:
            newest = await self._documents.list(place.prefix, limit=1)
            now = self._now(max((self._position(each.key) for each in newest), default=0))
            key = f"{place.prefix}{_FAR - now:016d}-{digest[:6]}"
            try:
                index = await self._documents.set(Document(index.key, key, 0))
            except DocumentConflict:
                index = await self._documents.get(index.key)
        if not index.body.startswith(place.prefix):
            raise MisplacedEntry(entry_id)
        return index.body

    def _now(self, after: int = 0) -> int:
        """Return microseconds, later than `after` and strictly growing within this process.

        The clock may be put back, and that of another node may be ahead.
        """
        self._last = max(self._last + 1, after + 1, int(self._clock() * 1_000_000))
        return self._last

    @staticmethod
    def _position(key: str) -> int:
        return _FAR - int(key.rpartition("/")[2].partition("-")[0])
