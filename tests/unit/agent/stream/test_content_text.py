"""Refusals are what the assistant says, and what it cites is linked."""

from __future__ import annotations

import pytest

from parley.agent.stream.content_text import cite_sources, text_of
from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.thread_values import ThreadValues
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, human, tool, update


def cited(*told: Json, text: str = "Water boils.", key: str = "annotations") -> str:
    content: Json = [{"type": "text", "text": text, key: list(told)}]
    return cite_sources(text_of(content), content)


def source(url: str = "https://a.example/w", title: str = "On water", kind: str = "citation") -> Json:
    return {"type": kind, "url": url, "title": title, "start_index": 0, "end_index": 5}


CALL: Json = [{"id": "c1", "name": "look", "args": {}}]


@pytest.mark.parametrize(
    ("messages", "learned"),
    [
        ([ai("It is 42.")], "It is 42."),
        ([ai("You live in Ulm, I look it up.", tool_calls=CALL), tool("x"), ai("42.", "a2")], "42."),
        ([ai("One.", tool_calls=CALL), tool("x"), ai("Two.", "a2", tool_calls=CALL), tool("y"),
          ai("Three.", "a3"), ai("Four.", "a4")], "Three.\n\nFour."),
        ([ai("I send the mail.", tool_calls=CALL)], ""),
    ],
)  # fmt: skip
def test_what_was_said_before_the_last_tool_call_is_told_from_the_rest(
    messages: list[Json], learned: str
) -> None:
    streamed = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    for message in messages:
        streamed.apply(*update(message), None)
    read = ThreadValues({"messages": [human(), *messages]}, TurnAnchor(MESSAGE_ID, "hi")).answer(True)
    for answer in (streamed.final(concluded=True), read):
        assert answer.text[answer.preamble :] == learned


def final(message: Json) -> str:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    transcript.apply(*update(message), None)
    return transcript.final(concluded=True).text


@pytest.mark.parametrize("key", ["annotations", "citations"])
@pytest.mark.parametrize("kind", ["citation", "url_citation", "web_search_result_location"])
def test_a_source_is_a_link_after_the_text(key: str, kind: str) -> None:
    assert cited(source(kind=kind), key=key) == "Water boils.\n\n[On water](https://a.example/w)"


def test_several_sources_are_a_list_and_each_is_told_once() -> None:
    told = [source(), source("https://b.example/", ""), source()]
    assert cited(*told) == (
        "Water boils.\n\n1. [On water](https://a.example/w)\n2. [https://b.example/](https://b.example/)"
    )


def test_a_source_that_the_text_links_itself_is_not_told_again() -> None:
    text = "See [here](https://a.example/w)."
    assert cited(source(), text=text) == text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "", "https://" + "a" * 3000])
def test_other_addresses_are_no_sources(url: str) -> None:
    assert cited(source(url)) == "Water boils."


def test_a_title_cannot_end_its_link() -> None:
    said = cited(source("https://a.example/(x) y", "A](https://evil.example) **b**"))
    assert said == "Water boils.\n\n[A (https://evil.example) b](https://a.example/%28x%29%20y)"


@pytest.mark.parametrize(
    "message",
    [
        ai([{"type": "refusal", "refusal": "I cannot."}]),
        ai([{"type": "non_standard", "value": {"type": "refusal", "refusal": "I cannot."}}]),
        ai("", additional_kwargs={"refusal": "I cannot."}),
    ],
)
def test_a_refusal_is_the_answer(message: Json) -> None:
    assert final(message) == "I cannot."


def test_words_that_hand_back_to_a_supervisor_are_left_out() -> None:
    back = ai("Transferring back to supervisor", "b1", response_metadata={"__is_handoff_back": True})
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    transcript.apply(*update(ai("It is 42.", "a1"), back), None)
    assert transcript.text() == transcript.final(concluded=True).text == "It is 42."
