"""Replies: shown live, kept once, where they were first seen."""

import asyncio
from pathlib import Path

import pytest

from parley.channels.web.chat.event_log import EntryShown
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.core.model.questions import Option, Question
from parley.core.ports.channel import WaitingSign
from tests.kit.doubles.web import MemoryDocuments
from tests.unit.channels.web.conftest import Open
from tests.unit.channels.web.page_client import CHAT, Site


async def test_a_growing_reply_is_there_for_pages_that_open_meanwhile(site: Site) -> None:
    await site.post("message-1")
    await site.show("turn-1", "so far")
    page = await site.page()
    assert [(one["text"], one["final"]) for one in page["growing"]] == [("so far", False)]
    listed = (await site.http.get("/api/chat/conversations")).json()
    assert listed["growing"] == [{"chat": CHAT, "topic": None, "id": "turn-1"}]


async def test_a_final_reply_replaces_what_grew(site: Site) -> None:
    await site.post("message-1")
    await site.show("turn-1", "so far")
    assert await site.finish("turn-1", "all of it") == ("turn-1",)
    page = await site.page()
    assert page["growing"] == []
    assert [entry["text"] for entry in page["entries"]] == ["hello", "all of it"]


async def test_what_a_reply_suggests_is_kept_with_it(site: Site) -> None:
    await site.post("message-1")
    await site.show("turn-1", "so far")
    await site.finish("turn-1", "all of it", suggestions=("<b>Why?</b>", "How?"))
    page = await site.page()
    assert [entry["suggestions"] for entry in page["entries"]] == [[], ["<b>Why?</b>", "How?"]]


async def test_a_final_reply_that_pages_were_not_told_of_yet_is_listed_once(
    site: Site, documents: MemoryDocuments, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.post("message-1")
    await site.show("turn-1", "so far")

    def fail_after_the_final() -> None:
        documents.down = any("all of it" in document.body for document in documents.bodies.values())

    monkeypatch.setattr(documents, "_changed", fail_after_the_final)
    with pytest.raises(ChannelUnavailable):
        await site.finish("turn-1", "all of it")
    documents.down = False
    page = await site.page()
    assert [entry["text"] for entry in page["entries"]] == ["hello", "all of it"]
    assert page["growing"] == []


async def test_finishing_twice_keeps_one_reply_also_after_a_restart(site: Site, open_site: Open) -> None:
    await site.post("message-1")
    await site.finish("turn-1", "all of it")
    async with open_site() as again:
        assert await again.finish("turn-1", "all of it") == ("turn-1",)
        assert await again.texts() == ["hello", "all of it"]


async def test_a_reply_stays_above_a_message_that_came_while_it_grew(site: Site) -> None:
    await site.post("message-1", "one")
    await site.show("turn-1", "…")
    await site.post("message-2", "two")
    await site.finish("turn-1", "answer to one")
    assert await site.texts() == ["one", "answer to one", "two"]


async def test_a_reply_waits_for_the_store(site: Site, documents: MemoryDocuments) -> None:
    await site.post("message-1")
    documents.down = True
    with pytest.raises(ChannelUnavailable):
        await site.show("turn-1", "so far")
    with pytest.raises(ChannelUnavailable):
        await site.finish("turn-1", "all of it")
    documents.down = False
    await site.finish("turn-1", "all of it")
    assert await site.texts() == ["hello", "all of it"]


async def test_a_reply_does_not_bring_a_deleted_conversation_back(site: Site) -> None:
    await site.post("message-1")
    await site.http.delete(f"/api/chat/conversations/{CHAT}")
    await site.show("turn-1", "so far")
    assert await site.finish("turn-1", "all of it") == ("turn-1",)
    assert await site.chats() == []
    assert await site.texts() == []


async def test_the_stop_button_gets_no_words_in_answer(site: Site) -> None:
    await site.post("message-1")
    await site.http.post(f"/api/chat/conversations/{CHAT}/stop", json={"id": "press-001"})
    pressed = site.inbox.messages[-1].id
    assert await site.finish("turn-2", "Stopping.", reply_to=pressed) == ("turn-2",)
    assert await site.texts() == ["hello"]


async def test_a_replys_files_can_be_downloaded_and_outlive_their_source(site: Site, tmp_path: Path) -> None:
    source = tmp_path / "made.csv"
    source.write_text("a,b")
    await site.post("message-1")
    file = StoredFile(AttachmentKind.FILE, "made.csv", "text/csv", 3, str(source))
    await site.finish("turn-1", "here", files=(file,))
    await asyncio.to_thread(source.unlink)
    (ref,) = (await site.page())["entries"][1]["files"]
    answer = await site.http.get(f"/api/chat/files/{ref['id']}")
    assert answer.text == "a,b"
    assert answer.headers["content-disposition"] == 'attachment; filename="made.csv"'
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_core_fetches_an_upload_under_its_cap(site: Site, tmp_path: Path) -> None:
    await site.upload("upload-01", "note.txt", b"0123456789")
    await site.post("message-1", "", files=["upload-01"])
    (attachment,) = site.inbox.messages[0].attachments
    assert (attachment.name, attachment.mime, attachment.size) == ("note.txt", "text/plain", 10)
    into = tmp_path / "copy"
    assert await site.channel.fetch(attachment, into, 10) == 10
    assert into.read_bytes() == b"0123456789"
    with pytest.raises(AttachmentRefused):
        await site.channel.fetch(attachment, into, 9)


ASKED = Question("q1", "May I?", (Option("yes", "Yes"),))


async def test_a_conversation_is_marked_until_it_is_decided(site: Site, open_site: Open) -> None:
    await site.post("message-1")
    await site.finish("turn-1", "May I?", question=ASKED)
    assert [chat["waiting"] for chat in await site.chats()] == [[{"entry": "turn-1", "topic": None}]]
    async with open_site() as again:  # also after a restart, and for a step that is taken twice
        await again.finish("turn-1", "May I?", question=ASKED)
        assert [chat["waiting"] for chat in await again.chats()] == [[{"entry": "turn-1", "topic": None}]]
        await again.settle("turn-1", "May I? Yes.")
        assert [chat["waiting"] for chat in await again.chats()] == [[]]


async def test_a_decision_brings_no_deleted_conversation_back(site: Site) -> None:
    await site.post("message-1")
    await site.finish("turn-1", "May I?", question=ASKED)
    await site.http.delete(f"/api/chat/conversations/{CHAT}")
    await site.settle("turn-1", "May I? Yes.")
    assert await site.chats() == []


async def test_a_message_that_waits_is_shown_so_and_never_stored_so(
    site: Site, documents: MemoryDocuments
) -> None:
    await site.post("message-1")
    reply = site.reply("turn-1", "message-1")
    assert isinstance(reply, WaitingSign)
    for waits in (True, False):
        await reply.show_waiting(waits=waits)
        *_, (_, newest) = site.channel._desk.feed.since(0) or ()
        assert isinstance(newest, EntryShown)
        assert (newest.entry.id, newest.entry.text, newest.entry.waits) == ("message-1", "hello", waits)
        assert not any('"waits":true' in document.body for document in documents.bodies.values())
        assert [entry["waits"] for entry in (await site.page())["entries"]] == [waits], "of a page that opens"
    assert (await site.page())["growing"] == []
    documents.down = True
    with pytest.raises(ChannelUnavailable):
        await reply.show_waiting(waits=True)
