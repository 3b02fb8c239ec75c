"""The transcript keeps its order whatever clocks do."""

from __future__ import annotations

from parley.channels.web.chat.entries import EntryLocation, TranscriptEntry
from parley.channels.web.chat.transcript import ChatTranscript
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
