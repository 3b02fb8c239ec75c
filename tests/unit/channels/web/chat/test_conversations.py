"""The list of conversations and their topics."""

from tests.unit.channels.web.page_client import CHAT, Site

TOPIC = "topic-001"


async def test_the_first_message_gives_the_title(site: Site) -> None:
    await site.post("message-1", "  What is tea?\nTell me more")
    await site.post("message-2", "something else")
    assert [chat["title"] for chat in await site.chats()] == ["What is tea?"]


async def test_a_long_first_message_is_cut_between_words(site: Site) -> None:
    await site.post("message-1", "word " * 40)
    title = (await site.chats())[0]["title"]
    assert title == "word " * 11 + "word…"


async def test_a_name_that_a_person_gave_stays(site: Site) -> None:
    await site.http.put(f"/api/chat/conversations/{CHAT}", json={"title": "Tea"})
    await site.post("message-1", "hello")
    assert [chat["title"] for chat in await site.chats()] == ["Tea"]


async def test_the_agents_title_takes_the_place_of_the_first_words_only(site: Site) -> None:
    await site.post("message-1", "what is tea")
    await site.finish("turn-1", "A drink.", title="About tea")
    assert [chat["title"] for chat in await site.chats()] == ["About tea"]
    await site.post("message-2", "and coffee")
    await site.finish("turn-2", "A drink, too.")
    assert [chat["title"] for chat in await site.chats()] == ["About tea"]
    await site.http.put(f"/api/chat/conversations/{CHAT}", json={"title": "Tea"})
    await site.finish("turn-3", "Another.", title="About drinks")
    assert [chat["title"] for chat in await site.chats()] == ["Tea"]


async def test_the_newest_activity_comes_first(site: Site) -> None:
    await site.post("message-1", "one", chat="chat-0001")
    await site.post("message-2", "two", chat="chat-0002")
    await site.finish("turn-1", "answer", chat="chat-0001")
    assert [chat["id"] for chat in await site.chats()] == ["chat-0001", "chat-0002"]


async def test_deleting_removes_everything_of_a_conversation_and_nothing_else(site: Site) -> None:
    await site.post("message-1", "gone")
    await site.post("message-2", "gone too", topic=TOPIC)
    await site.post("message-3", "stays", chat="chat-0002")
    answer = await site.http.delete(f"/api/chat/conversations/{CHAT}")
    assert answer.status_code == 204
    assert [chat["id"] for chat in await site.chats()] == ["chat-0002"]
    assert await site.texts() == []
    assert await site.texts(topic=TOPIC) == []
    assert await site.texts("chat-0002") == ["stays"]


async def test_deleting_stops_the_turn_that_runs_there(site: Site) -> None:
    await site.post("message-1")
    await site.show("turn-1", "so far")
    await site.http.delete(f"/api/chat/conversations/{CHAT}")
    assert [message.text for message in site.inbox.messages] == ["hello", "/stop"]
    assert (await site.http.get("/api/chat/conversations")).json()["growing"] == []


async def test_a_topic_is_a_conversation_of_its_own(site: Site) -> None:
    await site.post("message-1", "outside")
    await site.http.put(f"/api/chat/conversations/{CHAT}/topics/{TOPIC}", json={"title": "Details"})
    await site.post("message-2", "inside", topic=TOPIC)
    await site.finish("turn-1", "answer inside", topic=TOPIC)
    assert site.inbox.messages[1].conversation.topic == TOPIC
    assert await site.texts() == ["outside"]
    assert await site.texts(topic=TOPIC) == ["inside", "answer inside"]
    (topic,) = (await site.chats())[0]["topics"]
    assert topic["title"] == "Details"


async def test_a_topics_first_message_tells_the_agent_what_it_is_about(site: Site) -> None:
    await site.post("message-1")
    await site.finish("turn-1", "a long answer")
    naming = {"title": "Details", "about": "turn-1"}
    await site.http.put(f"/api/chat/conversations/{CHAT}/topics/{TOPIC}", json=naming)
    for message_id in ("message-2", "message-2", "message-3"):
        await site.post(message_id, "why?", topic=TOPIC)
    assert [message.quoted for message in site.inbox.messages] == ["", "a long answer", ""]


async def test_a_deleted_topic_leaves_its_conversation(site: Site) -> None:
    await site.post("message-1", "outside")
    await site.post("message-2", "inside", topic=TOPIC)
    await site.http.delete(f"/api/chat/conversations/{CHAT}/topics/{TOPIC}")
    assert (await site.chats())[0]["topics"] == []
    assert await site.texts(topic=TOPIC) == []
    assert await site.texts() == ["outside"]


async def test_hello_says_what_the_page_must_know(site: Site) -> None:
    hello = (await site.http.get("/api/chat/hello")).json()
    assert hello["user"] == {"name": "You"}
    assert hello["max_upload"] == 20_000_000
    assert {"name": "stop", "summary": "Stop the reply", "language": ""} in hello["commands"]


async def test_the_page_and_its_parts_are_served(site: Site) -> None:
    page = await site.http.get("/")
    assert "text/html" in page.headers["content-type"]
    part = await site.http.get("/page/app.js")
    assert "javascript" in part.headers["content-type"]
    sentences = await site.http.get("/page/kit/sentences.js")
    assert "javascript" in sentences.headers["content-type"]
    assert '"newChat": "新建对话"' in sentences.text
    known = {"if-none-match": sentences.headers["etag"]}
    assert (await site.http.get("/page/kit/sentences.js", headers=known)).status_code == 304
    assert (await site.http.get("/page/../channel.py")).status_code == 404
    assert (await site.http.get("/page/%2e%2e/channel.py")).status_code == 404
