"""Memory in a thread: one block, at its end, and never twice."""

from __future__ import annotations

from parley.agent.runs.memory_block import strip_memory_blocks
from parley.core.model.types import Json

BLOCK: Json = {"type": "text", "text": "<memory>\nlikes tea\n</memory>"}
PICTURE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def state(*messages: Json) -> Json:
    return {"values": {"messages": list(messages)}}


def human(content: Json, id: str = "h1") -> Json:  # noqa: A002 - the wire's own word
    return {"type": "human", "id": id, "content": content}


def test_a_message_with_memory_is_sent_again_as_the_person_wrote_it():
    found = strip_memory_blocks(
        state(human([BLOCK, {"type": "text", "text": "hello"}]), {"type": "ai", "content": "hi"})
    )
    assert found == [human("hello")]


def test_pictures_stay_where_they_were():
    words: Json = {"type": "text", "text": "look"}
    assert strip_memory_blocks(state(human([BLOCK, words, PICTURE]))) == [human([words, PICTURE])]


def test_messages_without_memory_are_left_alone():
    talk: Json = {"type": "text", "text": "what does <memory> mean in HTML?"}
    assert strip_memory_blocks(state(human("hello"), human([talk], "h2"), human([PICTURE], "h3"))) == []


def test_what_the_agent_says_about_memory_is_its_own():
    said: Json = {"type": "ai", "id": "a1", "content": [BLOCK]}
    assert strip_memory_blocks(state(said)) == []


def test_a_thread_without_messages_has_nothing_to_clean():
    odds: tuple[Json, ...] = (
        None,
        {},
        {"values": []},
        {"values": {"messages": "?"}},
        state("text", {"type": "human"}),
    )
    for odd in odds:
        assert strip_memory_blocks(odd) == []


def test_a_message_that_was_memory_alone_keeps_its_place():
    assert strip_memory_blocks(state(human([BLOCK]))) == [human("")]
