"""All that the web channel keeps by itself: it is one person's, who opens the page."""

from __future__ import annotations

from collections.abc import AsyncIterator

from parley.channels.web.chat.entries import CHAT, ENTRY, ChatConversation, EntryLocation, TranscriptEntry
from parley.channels.web.chat.service import ChatService
from parley.core.privacy.sources import ExportPiece

_PAGE = 200


async def export_pieces(desk: ChatService) -> AsyncIterator[ExportPiece]:
    """Yield the conversations as JSON, one each, and the files. Raises StoreUnavailable."""
    for chat in await desk.chats.all():
        lines = [CHAT.dump_json(chat)]
        lines += [ENTRY.dump_json(entry) async for entry in _entries(desk, chat)]
        yield ExportPiece(f"{chat.id}.jsonl", b"\n".join([*lines, b""]))
    for file in await desk.shelf.all():
        yield ExportPiece(f"files/{file.id}-{file.name}", file=await desk.shelf.ensure_local(file.id))


async def erase(desk: ChatService) -> int:
    """Remove all of it, and tell every page; returns how many conversations and files there were.

    Raises StoreUnavailable.
    """
    chats, files = await desk.chats.all(), await desk.shelf.all()
    for chat in chats:
        await desk.delete(EntryLocation(chat.id))
    await desk.transcript.clear(desk.let_go)
    for file in await desk.shelf.all():
        await desk.shelf.drop(file.id)
    return len(chats) + len(files)


async def _entries(desk: ChatService, chat: ChatConversation) -> AsyncIterator[TranscriptEntry]:
    for topic in (None, *(topic.id for topic in chat.topics)):
        place, before, more = EntryLocation(chat.id, topic), "", True
        while more:
            page = await desk.transcript.page(place, before, _PAGE)
            for entry in reversed(page.entries):
                yield entry
            before, more = page.before, bool(page.before)
