"""Changing what was sent: the last message only, once for each edit."""

import httpx
import pytest

from parley.core.model.address import Conversation
from tests.kit.doubles.web import MemoryDocuments
from tests.unit.channels.web.conftest import Open
from tests.unit.channels.web.page_client import CHAT, Site


@pytest.fixture
def edits() -> bool:
    return True


async def edit(
    site: Site, message: str, text: str, number: int = 1, chat: str = CHAT, **more: object
) -> httpx.Response:
    body = {"id": f"edit-{number:04}", "text": text, **more}
    return await site.http.put(f"/api/chat/conversations/{chat}/messages/{message}", json=body)


async def test_an_edit_reaches_the_core_as_one_and_the_transcript(site: Site) -> None:
    await site.post("message-1", "tow", language="zh")
    answer = await edit(site, "message-1", "two", language="zh")
    assert answer.status_code == 202
    first, changed = site.inbox.messages
    assert (changed.id, changed.edits, changed.text) == ("message-1:edit:edit-0001", "message-1", "two")
    assert (changed.conversation, changed.sender) == (Conversation("web", CHAT), first.sender)
    assert changed.sent_at >= first.sent_at
    (entry,) = (await site.page())["entries"]
    assert (entry["text"], entry["edit"]) == ("two", "edit-0001")
    assert answer.json() == entry


async def test_a_repeated_edit_changes_nothing_and_is_answered_alike(site: Site) -> None:
    await site.post("message-1", "tow")
    first = await edit(site, "message-1", "two")
    await site.finish("turn-0001", "you said two", reply_to="message-1")
    second = await edit(site, "message-1", "two")
    assert first.json() == second.json()
    assert len(site.inbox.messages) == 2


async def test_replies_from_before_an_edit_are_older_than_it(site: Site) -> None:
    await site.post("message-1", "tow")
    await site.finish("turn-0001", "you said tow", reply_to="message-1")
    await edit(site, "message-1", "two")
    await site.finish("turn-0002", "you said two", reply_to="message-1")
    said, before, after = (await site.page())["entries"]
    assert int(str(before["pos"])) < int(str(said["edited"])) < int(str(after["pos"]))
    assert int(str(said["pos"])) < int(str(before["pos"]))


async def test_only_the_last_message_to_the_agent_can_be_changed(site: Site) -> None:
    await site.post("message-1", "one")
    await site.post("message-2", "two")
    await site.post("message-3", "/status")
    assert (await edit(site, "message-1", "changed")).status_code == 409
    assert (await edit(site, "message-3", "changed")).status_code == 409
    assert (await edit(site, "message-9", "changed")).status_code == 409
    assert (await edit(site, "message-2", "/new")).json()["error"]["code"] == "not_the_last"
    assert (await edit(site, "message-2", "changed")).status_code == 202
    assert await site.texts() == ["one", "changed", "/status"]


async def test_a_message_is_not_changed_into_nothing(site: Site) -> None:
    await site.post("message-1", "one")
    assert (await edit(site, "message-1", " ")).status_code == 422
    assert await site.texts() == ["one"]


async def test_each_topic_has_a_last_message(site: Site) -> None:
    await site.post("message-1", "around")
    await site.post("message-2", "within", topic="topic-0001")
    assert (await edit(site, "message-1", "inside", topic="topic-0001")).status_code == 409
    assert (await edit(site, "message-2", "inside", topic="topic-0001")).status_code == 202
    assert (await edit(site, "message-1", "outside", 2)).status_code == 202
    assert site.inbox.messages[2].conversation.topic == "topic-0001"


async def test_an_edit_is_not_acknowledged_without_the_store(site: Site, documents: MemoryDocuments) -> None:
    await site.post("message-1", "tow")
    documents.down = True
    assert (await edit(site, "message-1", "two")).status_code == 503
    documents.down, site.inbox.down = False, True
    assert (await edit(site, "message-1", "two")).status_code == 503
    site.inbox.down = False
    assert (await edit(site, "message-1", "two")).status_code == 202
    assert site.inbox.messages[-1].edits == "message-1"


async def test_files_of_a_changed_message_stay(site: Site) -> None:
    await site.upload("file-0001", "a.txt", b"abc")
    await site.post("message-1", "look", files=["file-0001"])
    assert (await edit(site, "message-1", "look here")).status_code == 202
    assert [file.name for file in site.inbox.messages[-1].attachments] == ["a.txt"]


async def test_the_page_knows_whether_messages_can_be_changed(site: Site) -> None:
    assert (await site.http.get("/api/chat/hello")).json()["edits"] is True


@pytest.mark.parametrize("edits", [False])
async def test_without_the_setting_nothing_is_changed(open_site: Open) -> None:
    async with open_site() as site:
        await site.post("message-1", "one")
        assert (await edit(site, "message-1", "two")).json()["error"]["code"] == "no_edits"
        assert (await site.http.get("/api/chat/hello")).json()["edits"] is False
        assert await site.texts() == ["one"]
        assert len(site.inbox.messages) == 1
