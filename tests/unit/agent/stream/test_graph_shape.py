"""Input and output are found where a graph's schemas are plain."""

from __future__ import annotations

import pytest

from parley.agent.stream.graph_shape import read_shape
from parley.core.model.types import Json

TEXT: Json = {"type": "string"}
MAYBE: Json = {"anyOf": [{"type": "string"}, {"type": "null"}]}
LIST: Json = {"type": "array", "items": {"type": "string"}}


def schemas(taken: Json, given: Json, required: Json = None) -> Json:
    return {
        "input_schema": {"properties": taken, "required": required},
        "output_schema": {"properties": given},
    }


@pytest.mark.parametrize(
    ("taken", "required", "question"),
    [
        ({"topic": TEXT}, ["topic"], "topic"),
        ({"about": MAYBE}, None, "about"),
        ({"about": TEXT, "style": TEXT}, ["about"], "about"),
        ({"question": TEXT, "docs": LIST, "answer": TEXT}, None, "question"),
        ({"messages": LIST, "topic": TEXT}, ["topic"], ""),
        ({"one": TEXT, "two": TEXT}, None, ""),
        ({"kind": {"type": "string", "enum": ["a"]}}, ["kind"], ""),
        ({"docs": LIST}, ["docs"], ""),
        ({}, None, ""),
    ],
)
def test_the_field_for_what_a_person_says(taken: Json, required: Json, question: str) -> None:
    assert read_shape(schemas(taken, {}, required), None).question == question


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"report": TEXT}, "report"),
        ({"verdict": TEXT, "docs": LIST}, "verdict"),
        ({"question": TEXT, "answer": TEXT}, "answer"),
        ({"question": TEXT, "verdict": TEXT}, "verdict"),
        ({"messages": LIST, "final_report": TEXT}, ""),
        ({"one": TEXT, "two": TEXT}, ""),
    ],
)
def test_the_field_of_the_answer(given: Json, answer: str) -> None:
    assert read_shape(schemas({"question": TEXT}, given), None).answer == answer


def test_the_state_tells_where_input_and_output_are_not_told() -> None:
    state: Json = {"properties": {"topic": TEXT, "report": TEXT, "notes": LIST}}
    shape = read_shape({"input_schema": None, "output_schema": None, "state_schema": state}, None)
    assert (shape.question, shape.answer) == ("topic", "report")


def test_structured_answers_and_last_nodes_are_known() -> None:
    drawing: Json = {
        "edges": [{"source": "classify", "target": "tell"}, {"source": "tell", "target": "__end__"}]
    }
    shape = read_shape(schemas({"messages": LIST}, {"messages": LIST, "structured_response": {}}), drawing)
    assert shape.structured
    assert (shape.voices.speaks("tell"), shape.voices.speaks("classify")) == (True, None)


@pytest.mark.parametrize(
    "said", [None, 7, "x", [], {"input_schema": []}, {"input_schema": {"properties": [1]}}]
)
def test_whatever_makes_no_sense_says_nothing(said: Json) -> None:
    shape = read_shape(said, said)
    assert (shape.question, shape.answer, shape.structured) == ("", "", False)
