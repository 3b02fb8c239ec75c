"""Messages from the page: taken once, kept, and only then acknowledged."""

from parley.core.model.address import Conversation, User
from tests.kit.doubles.web import MemoryDocuments
from tests.unit.channels.web.conftest import Open
from tests.unit.channels.web.page_client import CHAT, Site


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


async def test_a_message_is_taken_back_or_it_is_said_that_this_came_too_late(site: Site) -> None:
    await site.post("message-1", "queued")
    address = f"/api/chat/conversations/{CHAT}/messages/message-1"
    late = await site.http.delete(address)  # nobody is behind this channel that could take it back
    assert (late.status_code, late.json()["error"]["code"]) == (409, "too_late")
    assert [entry["withdrawn"] for entry in (await site.page())["entries"]] == [False]


async def test_what_was_taken_back_stays_so(open_site: Open) -> None:
    asked: list[tuple[str, str, str]] = []

    async def withdraw(conversation: Conversation, message_id: str, sender: User) -> bool:
        asked.append((conversation.key, message_id, sender.id))
        return True

    async with open_site(withdraw=withdraw) as site:
        await site.post("message-1", "queued")
        answer = await site.http.delete(f"/api/chat/conversations/{CHAT}/messages/message-1")
        assert (answer.status_code, answer.json()["withdrawn"]) == (200, True)
        assert asked == [(f"web:{CHAT}", "message-1", "local")]
        assert [entry["withdrawn"] for entry in (await site.page())["entries"]] == [True]


async def test_a_topic_and_a_cursor_of_a_query_are_what_they_must_be(site: Site) -> None:
    await site.post("message-1", "in the chat")
    await site.post("message-2", "in the topic", topic="topic-001")
    wrong = ("-", "..", "short", "a/b/c/d/e", "topic-001/", "topic 001", "t" * 65, "topic-\x00001", "..%2f-")
    for topic in wrong:
        for method, below in (("GET", "messages"), ("GET", "files"), ("DELETE", "messages/message-1")):
            path = f"/api/chat/conversations/{CHAT}/{below}"
            answer = await site.http.request(method, path, params={"topic": topic})
            assert answer.status_code == 404, (method, below, topic)
            assert answer.json()["error"]["code"] == "unknown"
            assert "8 to 64 characters" in answer.json()["error"]["text"]
    assert await site.texts(topic="topic-001") == ["in the topic"]
    for before in ("9", "z" * 24, "0" * 16 + "-abcde\x00", "1" * 16 + "-abcdef/../", "１" * 16 + "-abcdef"):
        answer = await site.http.get(f"/api/chat/conversations/{CHAT}/messages", params={"before": before})
        assert answer.status_code == 422, before
    answer = await site.http.put(
        f"/api/chat/conversations/{CHAT}/topics/topic-001", json={"title": "x", "about": "../" * 9_999}
    )
    assert answer.status_code == 422
