"""Many requests that come in one moment into one conversation."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from parley.channels.web.chat.conversations import ConversationStore
from parley.channels.web.chat.entries import EntryLocation
from parley.core.ports.journal import Document
from tests.kit.doubles.web import MemoryDocuments
from tests.unit.channels.web.page_client import CHAT, Site

MANY = 60


class SlowDocuments(MemoryDocuments):
    """Lets others go first before each call, as a store with a thread or a server does."""

    async def get(self, key: str) -> Document:
        await asyncio.sleep(0)
        return await super().get(key)

    async def set(self, document: Document) -> Document:
        await asyncio.sleep(0)
        return await super().set(document)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        await asyncio.sleep(0)
        return await super().list(prefix, limit, after)


@pytest.fixture
def documents(tmp_path: Path) -> MemoryDocuments:
    return SlowDocuments()


async def test_sixty_posts_at_once_into_one_conversation_are_all_taken(site: Site) -> None:
    async def say(number: int) -> httpx.Response:
        return await site.post(f"message-{number:02}", f"text {number}")

    answers = await asyncio.gather(*map(say, range(MANY)))
    assert {answer.status_code for answer in answers} == {202}
    assert len(site.inbox.messages) == MANY
    assert sorted(map(str, await site.texts())) == sorted(f"text {number}" for number in range(MANY))
    (chat,) = await site.chats()
    assert chat["id"] == CHAT


async def test_what_many_change_at_once_on_two_nodes_is_all_there() -> None:
    documents = SlowDocuments()
    nodes = [ConversationStore(documents, lambda: 1.0), ConversationStore(documents, lambda: 2.0)]
    await asyncio.gather(
        *(
            nodes[number % 2].save_topic(EntryLocation(CHAT, f"topic-{number:03}"), f"Topic {number}", "")
            for number in range(MANY)
        )
    )
    chat = await nodes[0].get(CHAT)
    assert chat is not None
    assert len(chat.topics) == MANY


async def test_one_file_that_is_sent_many_times_at_once_is_whole(site: Site, tmp_path: Path) -> None:
    content = bytes(range(256)) * 4_000
    sent = [site.upload("upload-01", "photo.bin", content) for _ in range(12)]
    answers = await asyncio.gather(*sent)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert (await site.http.get("/api/chat/files/upload-01")).content == content
    assert not any(path.endswith(".part") for path in map(str, _files(tmp_path)))


def _files(folder: Path) -> list[Path]:
    return list(folder.rglob("*"))
