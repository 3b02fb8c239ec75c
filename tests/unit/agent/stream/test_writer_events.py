"""What a stream writer sends is progress, or pieces of text."""

from __future__ import annotations

import pytest

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, update


def heard(*sent: Json) -> tuple[str, list[str]]:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    for data in sent:
        transcript.apply("custom", data, None)
    return transcript.text(), [step.title for step in transcript.steps.shown()]


@pytest.mark.parametrize(
    "data",
    [
        "Reading page 3",
        {"progress": "Reading page 3"},
        {"status": "Reading page 3"},
        {"type": "progress", "message": "Reading page 3"},
        {"type": "task_started", "description": "Reading page 3"},
    ],
)
def test_progress_is_a_step(data: Json) -> None:
    assert heard(data) == ("", ["Reading page 3"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"token": "Hel"}, {"token": "lo"}),
        ({"delta": "Hel"}, {"delta": "lo"}),
        ({"type": "token", "content": "Hel"}, {"type": "token", "content": "lo"}),
        ({"type": "text", "text": "Hel"}, {"type": "text", "data": "lo"}),
    ],
)
def test_tokens_are_text(first: Json, second: Json) -> None:
    assert heard(first, second) == ("Hello", [])


def test_strings_with_blanks_at_their_ends_are_pieces_of_a_text() -> None:
    assert heard("The", " quick", " fox", "es") == ("The quick foxes", [])
    assert heard("Reading", "Writing") == ("", ["Writing"])


@pytest.mark.parametrize("data", [None, 7, [], ["x"], {}, {"data": "x"}, {"type": "token"}, {"status": 3}])
def test_all_else_says_nothing(data: Json) -> None:
    assert heard(data) == ("", [])


def test_a_message_takes_the_place_of_what_the_writer_said() -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    transcript.apply("custom", {"token": "Hello"}, None)
    transcript.apply("messages", [ai("Hello"), {"langgraph_node": "model"}], None)
    assert transcript.text() == "Hello"
    transcript.apply(*update(ai("Hello")), None)
    assert transcript.text() == transcript.final(concluded=True).text == "Hello"
