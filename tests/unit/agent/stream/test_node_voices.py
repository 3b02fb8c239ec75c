"""Words that a graph only reads are not shown as an answer that vanishes."""

from __future__ import annotations

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.graph_shape import GraphShape
from parley.agent.stream.node_voices import NodeVoices
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai


def piece(text: str, node: str, message_id: str, task: str = "1") -> tuple[str, Json]:
    message: Json = {"type": "AIMessageChunk", "id": message_id, "content": text}
    return "messages", [message, {"langgraph_node": node, "langgraph_checkpoint_ns": f"{node}:{task}"}]


def returned(node: str, *messages: Json, **fields: Json) -> tuple[str, Json]:
    return "updates", {node: {**fields, **({"messages": list(messages)} if messages else {})} or None}


def play(shape: GraphShape, *frames: tuple[str, Json]) -> list[str]:
    """What is shown after each event."""
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"), shape=shape)
    shown = []
    for event, data in frames:
        transcript.apply(event, data, None)
        shown.append(transcript.text())
    return shown


def test_an_unknown_nodes_first_words_wait_until_it_returns_them() -> None:
    shape = GraphShape()
    frames = (piece("Hi", "greet", "g1"), piece("!", "greet", "g1"), returned("greet", ai("Hi!", "g1")))
    assert play(shape, *frames) == ["", "", "Hi!"]
    assert play(shape, *frames) == ["Hi", "Hi!", "Hi!"], "from then on they grow"


def test_an_unknown_node_that_goes_on_speaks_to_people() -> None:
    assert play(GraphShape(), piece("w " * 150, "greet", "g1"))[-1] != ""


def test_words_that_a_node_keeps_to_itself_are_never_shown() -> None:
    shape = GraphShape()
    frames = (
        piece("INTERNAL", "classify", "c1"),
        returned("classify", category="x"),
        piece("Hello", "model", "m1"),
    )
    assert play(shape, *frames) == ["", "", "Hello"]
    assert play(shape, piece("INTERNAL " * 90, "classify", "c2"))[-1] == "", "its length says nothing now"


def test_a_node_that_may_end_the_run_speaks_to_people_at_once() -> None:
    shape = GraphShape(voices=NodeVoices(["greet"]))
    assert play(shape, piece("Hi", "greet", "g1")) == ["Hi"]


def test_words_that_are_returned_in_a_field_or_a_new_message_stay() -> None:
    for update in (returned("answer", answer="Hello there"), returned("answer", ai("Hello there", "new"))):
        shape = GraphShape(voices=NodeVoices(["answer"]))
        assert play(shape, piece("Hello there", "answer", "a1"), update)[-1] == "Hello there"
        assert shape.voices.speaks("answer")


def test_parallel_tasks_of_a_node_are_told_apart() -> None:
    shape = GraphShape(voices=NodeVoices(["work"]))
    shown = play(
        shape,
        piece("One", "work", "w1", "1"),
        piece("Two", "work", "w2", "2"),
        returned("work", ai("One", "w1")),
        returned("work", ai("Two", "w2")),
    )
    assert shown[-2:] == ["One\n\nTwo", "One\n\nTwo"]


def test_with_an_output_of_its_own_only_that_stays() -> None:
    shape = GraphShape(answer="report", voices=NodeVoices(["write"]))
    shown = play(
        shape,
        piece("a plan", "model", "p1"),
        returned("model", ai("a plan", "p1")),
        piece("The report", "write", "r1"),
        returned("write", report="The report"),
    )
    assert shown == ["a plan", "", "The report", "The report"]


def test_a_graph_of_a_given_form_shows_no_json_while_it_is_written() -> None:
    shape = GraphShape(structured=True)
    frames = (piece('{"na', "model", "m1"), piece('me": 1}', "model", "m1"))
    assert play(shape, *frames) == ["", ""]


def test_what_is_remembered_of_nodes_has_a_bound() -> None:
    voices = NodeVoices()
    for number in range(5000):
        voices.learn(f"n{number}", speaks=True)
    assert voices.speaks("n10") is True
    assert voices.speaks("n4999") is None
