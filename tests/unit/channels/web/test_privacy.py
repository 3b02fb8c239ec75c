"""All that the page keeps of its person: handed over, and erased."""

from __future__ import annotations

from parley.core.model.address import User
from parley.core.privacy.sources import PersonalDataStore
from tests.kit.doubles.web import MemoryDocuments
from tests.unit.channels.web.page_client import CHAT, Site

ME = User("web", "local")
FILE = "upload-0001"


async def lived(site: Site) -> None:
    await site.upload(FILE, "a.txt", b"zebra bytes")
    await site.upload("upload-0002", "unused.txt", b"never sent")
    await site.post("message-1", "a zebra", files=[FILE])
    await site.finish("turn-1", "yes, a zebra", reply_to="message-1")
    await site.post("message-2", "inside a topic", topic="topic-001")
    await site.post("message-3", "another", chat="chat-0002")
    await site.show("turn-2", "still growing", chat="chat-0002")


async def test_everything_is_handed_over(site: Site) -> None:
    await lived(site)
    assert isinstance(site.channel, PersonalDataStore)
    pieces = [piece async for piece in site.channel.kept(ME)]
    texts = {piece.name: piece.content.decode() for piece in pieces if piece.file is None}
    assert set(texts) == {f"{CHAT}.jsonl", "chat-0002.jsonl"}
    lines = texts[f"{CHAT}.jsonl"].splitlines()
    assert len(lines) == 4
    assert all(any(said in line for line in lines) for said in ("a zebra", "yes, a zebra", "inside a topic"))
    files = {piece.name: piece.file.read_bytes() for piece in pieces if piece.file is not None}
    assert files == {
        f"files/{FILE}-a.txt": b"zebra bytes",
        "files/upload-0002-unused.txt": b"never sent",
    }


async def test_nothing_is_left_after_erasing(site: Site, documents: MemoryDocuments) -> None:
    await lived(site)
    files = [piece.file async for piece in site.channel.kept(ME) if piece.file is not None]
    assert await site.channel.erase(ME) == 4
    assert await documents.list("web/") == []
    assert not any(file.exists() for file in files)
    assert await site.chats() == []
    assert (await site.http.get("/api/chat/conversations")).json()["growing"] == []
    assert await site.channel.erase(ME) == 0


async def test_others_have_nothing_here(site: Site) -> None:
    await lived(site)
    other = User("elsewhere", "local")
    assert [piece async for piece in site.channel.kept(other)] == []
    assert await site.channel.erase(other) == 0
    assert await site.texts() == ["a zebra", "yes, a zebra"]
