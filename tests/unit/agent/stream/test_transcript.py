"""Transcript: what is shown of a stream, and what never is."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from parley.agent.stream.event_ids import FROM_START
from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.messages import decode_json_text
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.doubles.langgraph_server import Frame
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, answer, chunk, human, tool, update


def heard(frames: Iterable[Frame], transcript: RunTranscript | None = None) -> RunTranscript:
    transcript = transcript or RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    for event, data in frames:
        transcript.apply(event, data, None)
    return transcript


def final(*frames: Frame) -> str:
    return heard(frames).final(concluded=True).text


def message_event(message: Json, **meta: Json) -> Frame:
    return "messages", [message, meta]


@pytest.mark.parametrize(
    "pieces",
    [["ha", "ha"], ["#", "##"], ["谢", "谢"], ["hel", "l", "o"], ["a", "a", "a"], ["go", "go", " go"]],
)
def test_deltas_are_added_whatever_they_say(pieces: list[str]) -> None:
    assert heard(map(chunk, pieces)).text() == "".join(pieces)


def test_a_piece_that_says_more_than_text_is_read_whole() -> None:
    call: Json = {"name": "look", "args": "", "id": "c1", "index": 0}
    transcript = heard([chunk("a"), chunk("b", tool_call_chunks=[call])])
    assert [step.title for step in transcript.steps.shown()] == ["Look"]
    assert heard([chunk("a"), chunk("b", additional_kwargs={"hide_from_ui": True})]).text() == "a"
    assert heard([chunk("a"), chunk("b", role="system")]).text() == "a"


def test_a_whole_message_replaces_its_pieces() -> None:
    transcript = heard([chunk("Hel"), chunk("lo"), message_event(ai("Hello!"))])
    assert transcript.text() == "Hello!"


def test_accumulated_events_replace() -> None:
    grown: list[Frame] = [("messages/partial", [ai(text, type="AIMessageChunk")]) for text in ("H", "He")]
    assert heard([*grown, ("messages/complete", [ai("Hey!")])]).text() == "Hey!"


def test_every_message_of_a_turn_is_shown() -> None:
    assert final(*answer("Let me look.", message_id="a1"), *answer("It is 5.", message_id="a2")) == (
        "Let me look.\n\nIt is 5."
    )


def test_what_the_graph_discards_is_not_in_the_answer() -> None:
    transcript = heard([chunk("draft", "side"), *answer("kept")[:-1]])
    assert "draft" in transcript.text()
    heard([answer("kept")[-1]], transcript)
    assert transcript.text() == transcript.final(concluded=True).text == "kept"


def test_what_the_graph_takes_back_is_gone() -> None:
    transcript = heard([*answer("bad words"), update({"type": "remove", "id": "a1"}, ai("Sorry.", "a2"))])
    assert transcript.final(concluded=True).text == transcript.text() == "Sorry."


def test_a_node_that_returns_the_history_says_only_its_end() -> None:
    history = [human("before", "h0"), ai("old", "a0"), human(), ai("new")]
    assert final(update(*history)) == "new"


def test_a_summary_that_rewrites_the_history_says_nothing() -> None:
    kept = [human("so far: ...", "s1"), ai("old", "a0")]
    everything: Json = {"type": "remove", "id": "__remove_all__"}
    assert final(*answer("spoken"), update(everything, *kept, ai("spoken"), human())) == "spoken"
    assert final(update(everything, *kept), *answer("new")) == "new"
    assert final(("updates", {"patch": {"messages": {"value": [*kept, human()]}}}), *answer("new")) == "new"


@pytest.mark.parametrize("tags", [["nostream"], ["langsmith:nostream", "x"]])
def test_silent_tags_are_honoured(tags: list[Json]) -> None:
    assert heard([message_event(chunk("x")[1][0], tags=tags)]).text() == ""  # type: ignore[index]


@pytest.mark.parametrize(
    "meta",
    [
        {"langgraph_checkpoint_ns": "call:1|model:2"},
        {"checkpoint_ns": "call:1|model:2"},
        {"lc_source": "summarization"},
        {"lc_internal_call": "token"},
    ],
)
def test_other_graphs_and_middleware_are_not_heard(meta: dict[str, Json]) -> None:
    assert heard([message_event(ai("x"), **meta)]).text() == ""


@pytest.mark.parametrize("event", ["messages|sub:1", "updates|sub:1", "values|sub:1", "tasks", "debug", ""])
def test_events_of_subgraphs_and_of_no_known_kind_are_not_heard(event: str) -> None:
    transcript = heard([(event, [ai("x"), {}]), (event, {"model": {"messages": [ai("x")]}})])
    assert transcript.text() == transcript.final(concluded=True).text == ""


def test_constructor_shaped_messages_are_read() -> None:
    shaped: Json = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessageChunk"],
        "kwargs": {"content": "Hi", "id": "a1", "type": "AIMessageChunk"},
    }
    assert heard([message_event(shaped), chunk("!")]).text() == "Hi!"


@pytest.mark.parametrize("role", ["system", "human", "tool", "remove", "other", ""])
def test_a_message_that_contradicts_itself_is_not_shown(role: str) -> None:
    assert heard([message_event(ai("x", role=role))]).text() == ""


def test_json_within_strings_is_read() -> None:
    event, data = chunk("Hi")
    assert heard([(event, json.dumps(data)), ("error", json.dumps({"error": "E"}))]).text() == "Hi"


def test_steps_without_a_name_of_their_own_have_one_in_the_persons_language() -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"), language="zh")
    transcript.steps.call("t1", "")
    heard([chunk([{"type": "thinking", "thinking": "hm"}])], transcript)
    assert [step.title for step in transcript.steps.shown()] == ["工具", "思考"]


def test_reasoning_is_a_step_without_its_text() -> None:
    thought: Json = [{"type": "thinking", "thinking": "SECRET", "text": "SECRET"}]
    transcript = heard([chunk(thought)])
    assert [(step.title, step.status.value) for step in transcript.steps.shown()] == [("Thinking", "running")]
    heard([chunk([{"type": "text", "text": "Hi"}])], transcript)
    assert [step.status.value for step in transcript.steps.shown()] == ["done"]
    assert transcript.text() == "Hi"


def test_named_nodes_and_progress_are_steps() -> None:
    frames: list[Frame] = [
        ("updates", {"model": None, "plan_trip": {}, "Guard.before_model": None}),
        ("updates", {"bookHotel": {}}),
        ("custom", {"progress": "Half way"}),
        ("custom", {"status": "Nearly\nthere"}),
        ("custom", {"anything": "else"}),
    ]
    assert [step.title for step in heard(frames).steps.shown()] == ["Plan trip", "Book hotel", "Nearly there"]


SEARCH: Json = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (SEARCH, {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}),
        (
            {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {}},
            {"type": "server_tool_result", "tool_call_id": "s1", "output": "SECRET"},
        ),
        (
            {"type": "web_search_call", "id": "s1"},
            {"type": "web_search_call", "id": "s1", "status": "completed"},
        ),
    ],
)
def test_a_tool_that_the_models_provider_runs_is_a_step(asked: Json, told: Json) -> None:
    transcript = heard([chunk([asked])])
    assert [(step.title, step.status.value) for step in transcript.steps.shown()] == [
        ("Web search", "running")
    ]
    heard([chunk([told]), chunk([{"type": "text", "text": "It rains."}])], transcript)
    assert [(step.title, step.status.value) for step in transcript.steps.shown()] == [("Web search", "done")]
    assert transcript.text() == "It rains."


def test_a_provider_s_tool_that_makes_no_sense_is_no_step() -> None:
    odd: list[Json] = [
        {"type": "server_tool_use"},
        {"type": 3, "id": "x"},
        {"type": "tool_result", "id": "x"},
    ]
    odd += [
        {"type": kind, "id": "x", "name": "n"} for kind in ("function_call", "custom_tool_call", "tool_call")
    ]
    assert heard([chunk(odd)]).steps.shown() == ()


def todo_list(*todos: Json) -> Frame:
    told = tool("Updated todo list", name="write_todos")
    return "updates", {"tools": {"todos": list(todos), "messages": [told]}}


def test_what_an_agent_plans_is_shown_in_place_of_its_tool() -> None:
    call: Json = [{"name": "write_todos", "args": {}, "id": "c1"}]
    milk: Json = {"content": "Buy  milk", "status": "completed"}
    rest: Json = {"content": "Rest", "status": "in_progress"}
    sleep: Json = {"content": "Sleep", "status": "pending"}
    transcript = heard([update(ai("", tool_calls=call)), todo_list(milk, rest, sleep)])
    assert [(step.title, step.status.value) for step in transcript.steps.shown()] == [
        ("Buy milk", "done"),
        ("Rest", "running"),
        ("Sleep", "pending"),
    ]
    heard([todo_list({"content": "Sleep", "status": "in_progress"}, 7, {"content": 3})], transcript)
    assert [(step.title, step.status.value) for step in transcript.steps.shown()] == [("Sleep", "running")]


def test_a_failed_tool_is_a_failed_step() -> None:
    call: Json = [{"name": "look_up", "args": {}, "id": "c1"}]
    transcript = heard([update(ai("", tool_calls=call)), update(tool("boom", status="error"), node="tools")])
    assert [(step.title, step.status.value) for step in transcript.steps.shown()] == [("Look up", "failed")]


def test_a_tool_that_ends_the_turn_answers_it() -> None:
    call: Json = [{"name": "ask_clarification", "args": {}, "id": "c1"}]
    frames = [update(ai("", tool_calls=call)), update(tool("Which city?"), node="tools")]
    assert final(*frames) == "Which city?"
    assert heard(frames).final(concluded=False).text == ""
    assert final(*frames, *answer("Rome, then.", message_id="a2")) == "Rome, then."


def test_a_second_attempt_starts_anew_and_is_not_whole() -> None:
    again: Frame = ("metadata", {"run_id": "r", "attempt": 2})
    transcript = heard([("metadata", {"run_id": "r", "attempt": 1}), chunk("first"), again, chunk("second")])
    assert (transcript.text(), transcript.whole) == ("second", False)


def test_events_heard_before_a_break_are_not_heard_again() -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    pieces = [(*chunk(text), f"run_event_{n}") for n, text in enumerate(["a", "a", "b"])]
    for piece in pieces[:2]:
        transcript.apply(*piece)
    assert transcript.rejoin() == "run_event_1"
    for piece in pieces:
        transcript.apply(*piece)
    assert transcript.text() == "aab"


def test_events_with_the_same_id_are_all_heard() -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    for text in ("a", "b", "c"):
        transcript.apply(*chunk(text), "1790000000000-0")
    assert transcript.text() == "abc"
    assert transcript.rejoin() == FROM_START
    assert transcript.text() == ""


def test_graphs_without_messages_answer_in_a_field() -> None:
    assert final(("updates", {"solve": {"answer": "42", "scratch": "SECRET"}})) == "42"


def test_values_are_read_where_a_server_sends_only_those() -> None:
    first: Frame = ("values", {"messages": [human("x", "h0"), ai("old", "a0"), human()]})
    last: Frame = ("values", {"messages": [human("x", "h0"), ai("old", "a0"), human(), ai("new")]})
    assert final(first) == ""
    assert final(first, last) == "new"


def test_interrupts_are_told_once_each() -> None:
    one: Json = {"id": "i1", "value": "A?"}
    two: Json = {"id": "i2", "value": "B?"}
    transcript = heard(
        [
            ("updates", {"__interrupt__": [one]}),
            ("updates", {"__interrupt__": [two]}),
            ("values", {"__interrupt__": [one]}),
        ]
    )
    assert list(transcript.interrupts) == ["i1", "i2"]


@pytest.mark.parametrize(
    "data", [None, 7, "", [], {}, [None], [[]], {"a": None}, [{"type": []}, {"tags": 3}]]
)
def test_rubbish_is_harmless(data: Json) -> None:
    events = ("messages", "messages/partial", "updates", "values", "custom", "metadata", "end", "gap")
    transcript = heard((event, data) for event in events)
    assert transcript.text() == transcript.final(concluded=True).text == ""


def test_json_in_a_text_that_is_nested_too_deeply_stays_a_text() -> None:
    assert decode_json_text("[" * 100_000) == "[" * 100_000
