"""Structured answers are lists that people can read."""

from __future__ import annotations

import pytest

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.readable import render_value
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, human, tool

ADA: Json = {"name": "Ada", "age": 36}
LIST = "- **Name**: Ada\n- **Age**: 36"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ADA, LIST),
        ({"summary": "All is well."}, "All is well."),
        (
            {"is_open": True, "note": None, "tags": ["a", "b"]},
            "- **Is open**: ✓\n- **Note**: –\n- **Tags**: a, b",
        ),
        ({"people": [ADA, {"name": "Bo"}]}, None),
        (["a", "b"], "- a\n- b"),
        (7, "7"),
        ([], ""),
    ],
)
def test_a_value_is_a_list(value: Json, text: str | None) -> None:
    expected = text
    if expected is None:
        expected = "- **People**:\n  - 1.\n    - **Name**: Ada\n    - **Age**: 36\n  - 2.\n    - **Name**: Bo"
    assert render_value(value) == expected


def test_depth_and_length_have_a_bound() -> None:
    deep: Json = "x"
    for _ in range(150):
        deep = {"a": deep, "b": 1}
    assert len(render_value(deep).splitlines()) < 30
    assert len(render_value({f"k{n}": n for n in range(9999)}).splitlines()) == 201


CALLED = ai("", tool_calls=[{"name": "Person", "args": ADA, "id": "c1"}])
TOLD = tool("Returning structured response: name='Ada' age=36")
JSON_TEXT = ai('{"name": "Ada", "age": 36}')


@pytest.mark.parametrize("messages", [[CALLED, TOLD], [JSON_TEXT], [ai("Let me see.", "a0"), CALLED, TOLD]])
def test_a_structured_answer_takes_the_place_of_its_messages(messages: list[Json]) -> None:
    expected = f"Let me see.\n\n{LIST}" if len(messages) == 3 else LIST
    heard = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    heard.apply("updates", {"model": {"messages": messages, "structured_response": ADA}}, None)
    assert heard.final(concluded=True).text == expected
    read = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    read.apply("values", {"messages": [human(), *messages], "structured_response": ADA}, None)
    assert read.final(concluded=True).text == expected


def test_a_structured_answer_of_an_earlier_turn_is_not_told_again() -> None:
    read = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    read.apply("values", {"messages": [human(), ai("Something else.")], "structured_response": ADA}, None)
    assert read.final(concluded=True).text == "Something else."
