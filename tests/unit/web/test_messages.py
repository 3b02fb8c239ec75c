"""Messages from the page: taken once, kept, and only then acknowledged."""

from bridge.types import Conversation
from tests.unit.web.conftest import Open
from tests.unit.web.doubles import MemoryDocuments
from tests.unit.web.site import CHAT, Site


async def test_a_message_reaches_the_core_as_it_was_written(site: Site) -> None:
    answer = await site.post("message-1", "hi\nthere", language="zh-CN")
    assert answer.status_code == 202
    (message,) = site.inbox.messages
    assert (message.id, message.text) == ("message-1", "hi\nthere")
    assert message.conversation == Conversation("web", CHAT)
    assert (message.sender.id, message.sender.name, message.sender.language) == ("local", "You", "zh-CN")
    assert message.private
    assert message.addressed


async def test_a_repeated_post_changes_nothing_and_is_answered_alike(site: Site) -> None:
    first, second = await site.post("message-1"), await site.post("message-1")
    assert first.json() == second.json()
    assert await site.texts() == ["hello"]
    assert len(site.inbox.messages) == 1


async def test_a_message_taken_before_a_crash_is_still_known_after_it(site: Site, open_site: Open) -> None:
    await site.post("message-1")
    async with open_site() as again:
        assert (await again.post("message-1")).status_code == 202
        assert await again.texts() == ["hello"]


async def test_a_message_is_refused_while_nobody_listens(open_site: Open) -> None:
    async with open_site(listening=False) as site:
        answer = await site.post("message-1")
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "offline"
        assert await site.texts() == []


async def test_a_message_is_not_acknowledged_without_the_store(
    site: Site, documents: MemoryDocuments
) -> None:
    documents.down = True
    answer = await site.post("message-1")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert site.inbox.messages == []
    documents.down = False
    assert (await site.post("message-1")).status_code == 202


async def test_a_message_the_bus_did_not_take_is_not_acknowledged(site: Site) -> None:
    site.inbox.down = True
    assert (await site.post("message-1")).status_code == 503
    site.inbox.down = False
    assert (await site.post("message-1")).status_code == 202
    assert await site.texts() == ["hello"]
    assert len(site.inbox.messages) == 1


async def test_an_id_used_in_another_conversation_is_refused(site: Site) -> None:
    await site.post("message-1")
    assert (await site.post("message-1", chat="chat-0002")).status_code == 409


async def test_rubbish_is_refused_with_a_reason(site: Site) -> None:
    url = f"/api/chat/conversations/{CHAT}/messages"
    json = {"content-type": "application/json"}
    bad = [
        await site.http.post(url, content=b"{", headers=json),
        await site.http.post(url, content=b"[]", headers=json),
        await site.http.post(url, json={"id": "x", "text": "short id"}),
        await site.http.post(url, json={"id": "message-1", "text": "   "}),
        await site.http.post(url, json={"id": "message-1", "text": "t" * 100_001}),
        await site.http.post(url, json={"id": "message-1", "text": "t", "files": ["nowhere-1"]}),
        await site.http.post(url, content=b'{"id": "message-1", "text": "\xff"}', headers=json),
    ]
    assert {answer.status_code for answer in bad} == {422}
    assert all(answer.json()["error"]["text"] for answer in bad)
    assert (await site.http.post(url, content=b"id=message-1")).status_code == 415
    huge = await site.http.post(url, content=b" " * 700_000, headers=json)
    assert huge.status_code == 413
    assert (await site.post("message-1", chat="..%2f..")).status_code == 404
    assert site.inbox.messages == []


async def test_the_stop_button_says_stop_and_leaves_no_message(site: Site) -> None:
    answer = await site.http.post(f"/api/chat/conversations/{CHAT}/stop", json={"id": "stop-0001"})
    assert answer.status_code == 202
    assert [message.text for message in site.inbox.messages] == ["/stop"]
    assert await site.texts() == []


async def test_the_browsers_language_counts_where_the_page_says_none(site: Site) -> None:
    site.http.headers["accept-language"] = "zh-TW,zh;q=0.9"
    await site.post("message-1")
    assert site.inbox.messages[0].sender.language == "zh-TW"


async def test_long_conversations_come_page_by_page(site: Site) -> None:
    for number in range(130):
        await site.post(f"message-{number}", str(number))
    newest = await site.page()
    assert [entry["text"] for entry in newest["entries"]] == [str(n) for n in range(70, 130)]
    middle = await site.page(before=str(newest["before"]))
    oldest = await site.page(before=str(middle["before"]))
    assert [entry["text"] for entry in oldest["entries"]] == [str(n) for n in range(10)]
    assert oldest["before"] == ""
