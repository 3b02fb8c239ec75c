"""Memory in a thread: what takes that of earlier runs out of it."""

from __future__ import annotations

from parley.agent.runs.memory_block import MEMORY_KIND, companion_id, strip_memory
from parley.core.model.types import Json

MEMORY = "<memory>\nlikes tea\n</memory>"
BLOCK: Json = {"type": "text", "text": MEMORY}
PICTURE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
PLACED = companion_id("h1", MEMORY_KIND)


def state(*messages: Json) -> Json:
    return {"values": {"messages": list(messages)}}


def human(content: Json, id: str = "h1", **more: Json) -> Json:  # noqa: A002 - the wire's own word
    return {"type": "human", "id": id, "content": content, **more}


def test_the_message_with_memory_is_removed():
    talk = state(human(MEMORY, PLACED), human("hello"), {"type": "ai", "id": "a1", "content": "hi"})
    assert strip_memory(talk) == [{"type": "remove", "id": PLACED, "content": ""}]


def test_the_one_that_comes_again_stays():
    assert strip_memory(state(human(MEMORY, PLACED), human("hello")), kept=PLACED) == []


def test_only_our_own_message_is_removed_whatever_a_person_writes():
    assert strip_memory(state(human(MEMORY, "h0"), human("hello"))) == []


def test_a_message_of_an_earlier_version_is_sent_again_as_the_person_wrote_it():
    found = strip_memory(
        state(human([BLOCK, {"type": "text", "text": "hello"}]), {"type": "ai", "content": "hi"})
    )
    assert found == [human("hello")]
    named = human([BLOCK, {"type": "text", "text": "hello"}], name="Ann")
    assert strip_memory(state(named)) == [human("hello", name="Ann")]


def test_pictures_stay_where_they_were():
    words: Json = {"type": "text", "text": "look"}
    assert strip_memory(state(human([BLOCK, words, PICTURE]))) == [human([words, PICTURE])]


def test_messages_without_memory_are_left_alone():
    talk: Json = {"type": "text", "text": "what does <memory> mean in HTML?"}
    assert strip_memory(state(human("hello"), human([talk], "h2"), human([PICTURE], "h3"))) == []


def test_what_the_agent_says_about_memory_is_its_own():
    said: Json = {"type": "ai", "id": "a1", "content": [BLOCK]}
    assert strip_memory(state(said)) == []


def test_a_thread_without_messages_has_nothing_to_clean():
    odds: tuple[Json, ...] = (
        None,
        {},
        {"values": []},
        {"values": {"messages": "?"}},
        state("text", {"type": "human"}, {"type": "human", "id": 7}),
    )
    for odd in odds:
        assert strip_memory(odd) == []


def test_a_message_that_was_memory_alone_keeps_its_place():
    assert strip_memory(state(human([BLOCK]))) == [human("")]
