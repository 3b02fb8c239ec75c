"""The transcript keeps its order whatever clocks do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from parley.channels.web.chat.entries import EntryLocation, TranscriptEntry
from parley.channels.web.chat.transcript import SLICE, ChatTranscript
from parley.channels.web.files.file_ref import FileRef
from parley.core.model.attachments import AttachmentKind
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import Document
from tests.kit.doubles.web import MemoryDocuments

_PLACE = EntryLocation("chat-1", "")


def entry(name: str) -> TranscriptEntry:
    return TranscriptEntry(name, "user", 0, name)


async def names(transcript: ChatTranscript) -> list[str]:
    return [each.id for each in (await transcript.page(_PLACE)).entries]


async def test_a_process_whose_clock_is_behind_adds_at_the_end() -> None:
    documents = MemoryDocuments()
    ahead, behind = ChatTranscript(documents, lambda: 2000.0), ChatTranscript(documents, lambda: 1000.0)
    await ahead.add(_PLACE, entry("first"))
    await behind.add(_PLACE, entry("second"))
    await ahead.add(_PLACE, entry("third"))
    assert await names(behind) == ["first", "second", "third"]


async def test_a_reserved_place_stays_before_what_comes_later() -> None:
    documents = MemoryDocuments()
    ahead, behind = ChatTranscript(documents, lambda: 2000.0), ChatTranscript(documents, lambda: 1000.0)
    await ahead.add(_PLACE, entry("first"))
    await behind.reserve(_PLACE, "user", "second")
    await behind.add(_PLACE, entry("third"))
    await behind.add(_PLACE, entry("second"))
    assert await names(ahead) == ["first", "second", "third"]


class CountedDocuments(MemoryDocuments):
    """Counts the deletions that are under way together, and breaks off where it is told to."""

    under_way = most = listed = 0
    breaks_at = ""

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        self.listed += 1
        return await super().list(prefix, limit, after)

    async def delete(self, key: str) -> None:
        if self.breaks_at and key.startswith(self.breaks_at):
            raise StoreUnavailable("away")
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        await super().delete(key)
        self.under_way -= 1


async def test_a_long_chat_is_deleted_in_slices_whose_files_go_first() -> None:
    documents, number = CountedDocuments(), 5 * SLICE + 7
    transcript = ChatTranscript(documents, lambda: 1.0)
    place, file = (
        EntryLocation("chat-0001"),
        FileRef("file-0001", "a.txt", "text/plain", 1, AttachmentKind.FILE),
    )
    for each in range(number):
        await transcript.add(place, TranscriptEntry(f"message-{each}", "user", 0, "hello", files=(file,)))
    gone = list[FileRef]()

    async def let_go(file: FileRef) -> None:
        gone.append(file)

    documents.breaks_at, documents.listed = "web/log/", 0
    with pytest.raises(StoreUnavailable):
        await transcript.erase("web/log/chat-0001/", let_go)
    assert len(gone) == SLICE  # what tells of them is still there
    documents.breaks_at, documents.under_way, documents.listed = "", 0, 0
    assert await transcript.erase("web/log/chat-0001/", let_go) == number
    assert len(gone) == SLICE + number
    assert documents.listed == 7
    assert SLICE <= documents.most <= 2 * SLICE
    assert await documents.list("web/") == []
