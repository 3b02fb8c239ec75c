"""What an assistant's graph takes and gives, as its schemas and its drawing tell it (pure)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from parley.agent.stream.final_answer import ANSWER_FIELDS, STRUCTURED
from parley.agent.stream.node_voices import NodeVoices
from parley.agent.transport.decoding import string
from parley.agent.transport.json_schema import required_fields, schema_fields
from parley.core.model.types import Json

_MESSAGES = "messages"
_QUESTIONS = ("question", "query", "prompt", "input", "topic", "user_input", "request", "task")
"""Where graphs take what a person asks, most telling name first."""

_END = "__end__"


@dataclass(frozen=True, slots=True)
class GraphShape:
    """`question` is the field that takes the person's words where it is not messages, `answer` the path of
    the answer, both "" where they are not known. `structured` says that its answers have a given form.
    """

    question: str = ""
    answer: str = ""
    structured: bool = False
    voices: NodeVoices = field(default_factory=NodeVoices)


def read_shape(schemas: Json, drawing: Json) -> GraphShape:
    """Read what a server says of an assistant; whatever makes no sense is as if it were not said."""
    told = _mapping(schemas)
    whole = told.get("state_schema")  # The official server tells it also where it cannot tell the others.
    takes, gives = told.get("input_schema") or whole, told.get("output_schema") or whole
    taken, given = _fields(takes), _fields(gives)
    return GraphShape(
        question=_question(taken, required_fields(takes)),
        answer=_answer(given, taken),
        structured=STRUCTURED in given,
        voices=NodeVoices(tuple(_last_nodes(drawing))),
    )


def _question(taken: dict[str, Json], required: list[Json]) -> str:
    if _MESSAGES in taken:
        return ""
    texts = [name for name, schema in taken.items() if _is_text(schema)]
    needed = [name for name in texts if name in required]
    for only in (needed, texts):
        if len(only) == 1:
            return only[0]
    return next((name for name in _QUESTIONS if name in texts), "")


def _answer(given: dict[str, Json], taken: dict[str, Json]) -> str:
    """The answer's field, where the graph declares one of its own; known names are found without it."""
    if _MESSAGES in given:
        return ""
    texts = [name for name, schema in given.items() if _is_text(schema)]
    fresh = [name for name in texts if name not in taken]
    for only in (texts, fresh):
        if len(only) == 1:
            return only[0]
    return next((name for name in ANSWER_FIELDS if name in texts), "")


def _is_text(schema: Json) -> bool:
    if not isinstance(schema, dict):
        return False
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        kinds = [each.get("type") for each in choices if isinstance(each, dict)]
        return "string" in kinds and all(kind in ("string", "null") for kind in kinds)
    return schema.get("type") == "string" and "enum" not in schema and "const" not in schema


def _fields(schema: Json) -> dict[str, Json]:
    return {name: each for name, each in schema_fields(schema).items() if not name.startswith("__")}


def _last_nodes(drawing: Json) -> Iterator[str]:
    """The nodes that a run may end with."""
    edges = _mapping(drawing).get("edges")
    for edge in edges if isinstance(edges, list) else ():
        if _mapping(edge).get("target") == _END and (source := string(_mapping(edge).get("source"))):
            yield source


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
