"""One damaged document costs itself, and hides nothing beside it."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kit.doubles.web import MemoryDocuments
from tests.unit.channels.web.page_client import CHAT, Site

SECRET = "the secret words"


def damage(documents: MemoryDocuments, prefix: str, holding: str = "") -> str:
    """Damage the first document under `prefix` whose body holds that; returns its key."""
    key = next(
        key
        for key in sorted(documents.bodies)
        if key.startswith(prefix) and holding in documents.bodies[key].body
    )
    documents.bodies[key] = replace(documents.bodies[key], body=f'{{"text": "{SECRET}')
    return key


async def test_a_damaged_conversation_is_listed_without_its_title(
    site: Site, documents: MemoryDocuments, caplog: pytest.LogCaptureFixture
) -> None:
    await site.post("message-1", "one", chat="chat-0001")
    await site.post("message-2", "two", chat="chat-0002")
    key = damage(documents, "web/chat/chat-0001")
    with caplog.at_level(logging.ERROR):
        listed = [await site.chats() for _ in range(3)][-1]
    assert [(chat["id"], chat["title"]) for chat in listed] == [("chat-0002", "two"), ("chat-0001", "")]
    assert await site.texts("chat-0001") == ["one"]
    assert [key in line for line in caplog.messages] == [True], "it is said once"
    assert SECRET not in caplog.text
    assert (await site.post("message-3", "three", chat="chat-0001")).status_code == 202
    assert [chat["title"] for chat in await site.chats()] == ["three", "two"]


async def test_a_damaged_message_is_left_out_of_its_page(
    site: Site, documents: MemoryDocuments, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (1, 2, 3):
        await site.post(f"message-{number}", f"text {number}")
    damage(documents, "web/log/", "text 2")
    with caplog.at_level(logging.ERROR):
        assert await site.texts() == ["text 1", "text 3"]
    assert SECRET not in caplog.text
    assert (await site.http.delete(f"/api/chat/conversations/{CHAT}")).status_code == 204
    assert not [key for key in documents.bodies if key.startswith(("web/log/", "web/chat/"))]


async def test_a_damaged_upload_is_as_one_that_is_gone(
    site: Site, documents: MemoryDocuments, tmp_path: Path
) -> None:
    await site.upload("upload-01", "a.txt", b"abc")
    damage(documents, "web/file/")
    assert (await site.http.get("/api/chat/files/upload-01")).status_code == 404
    posted = await site.post("message-1", "look", files=["upload-01"])
    assert (posted.status_code, posted.json()["error"]["code"]) == (422, "file_gone")
