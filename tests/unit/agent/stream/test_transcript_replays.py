"""What each server was seen to send, replayed in its shape."""

from __future__ import annotations

import json

import pytest

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, human

Part = tuple[str, Json, str | None]

META: Json = {
    "langgraph_step": 1,
    "langgraph_node": "model",
    "langgraph_path": ["__pregel_pull", "model"],
    "langgraph_checkpoint_ns": "model:0d8c6f3e-5b5e-1e59-a1a4-bf0f4cbf2e43",
    "checkpoint_ns": "model:0d8c6f3e-5b5e-1e59-a1a4-bf0f4cbf2e43",
    "run_attempt": 1,
    "tags": [],
}


def token(text: Json, message_id: str, **extra: Json) -> list[Json]:
    message: Json = {
        "content": text,
        "additional_kwargs": {},
        "response_metadata": {},
        "type": "AIMessageChunk",
        "name": None,
        "id": message_id,
        "tool_calls": [],
        "invalid_tool_calls": [],
        "usage_metadata": None,
        "tool_call_chunks": [],
        "chunk_position": None,
        **extra,
    }
    return [message, META]


CALL: Json = {
    "name": "get_weather",
    "args": '{"city":',
    "id": "call_1",
    "index": 0,
    "type": "tool_call_chunk",
}
CALLED: Json = {"name": "get_weather", "args": {"city": "Rome"}, "id": "call_1", "type": "tool_call"}
RESULT: dict[str, Json] = {
    "content": "SECRET: sunny",
    "type": "tool",
    "name": "get_weather",
    "id": "t1",
    "tool_call_id": "call_1",
    "status": "success",
}
PREAMBLE = "Let me look that up."
ANSWER = "It is sunny in Rome."
WHOLE = f"{PREAMBLE}\n\n{ANSWER}"
UPDATES: list[Json] = [
    {"model": {"messages": [ai(PREAMBLE, "lc_run--1", tool_calls=[CALLED])]}},
    {"tools": {"messages": [RESULT]}},
    {"model": {"messages": [ai(ANSWER, "lc_run--2")]}},
]


def langgraph_api() -> list[Part]:
    """Ids are milliseconds and repeat; there is no `end`."""
    data: list[tuple[str, Json]] = [
        ("metadata", {"run_id": "01a1", "attempt": 1}),
        ("messages", token("Let me look ", "lc_run--1")),
        ("messages", token("that up.", "lc_run--1")),
        ("messages", token("", "lc_run--1", tool_call_chunks=[CALL])),
        ("messages", token("", "lc_run--1", chunk_position="last")),
        ("updates", UPDATES[0]),
        ("messages", [RESULT, {"langgraph_node": "tools"}]),
        ("updates", UPDATES[1]),
        ("messages", token("It is ", "lc_run--2")),
        ("messages", token("sunny in Rome.", "lc_run--2")),
        ("updates", UPDATES[2]),
    ]
    return [(event, each, f"{1790000000000 + n // 3}-0") for n, (event, each) in enumerate(data)]


def aegra_old() -> list[Part]:
    """0.6: everything after a resume comes twice, data may be a string of JSON."""
    parts = [(event, data, f"run_event_{n}") for n, (event, data, _) in enumerate(langgraph_api(), 1)]
    return [(event, json.dumps(data), event_id) for event, data, event_id in parts]


def aegra_new() -> list[Part]:
    """0.11: tool results come as chunks, `end` tells the status."""
    shaped = {**RESULT, "type": "ToolMessageChunk"}
    parts = [
        (event, [shaped, data[1]] if isinstance(data, list) and data[0] == RESULT else data, f"run_event_{n}")
        for n, (event, data, _) in enumerate(langgraph_api(), 1)
    ]
    return [*parts, ("end", {"status": "success"}, None)]


def deerflow() -> list[Part]:
    """`messages-tuple` as the event's name, whole states, hidden reminders, `end` without a status."""
    hidden = human("SECRET memory", "m1", additional_kwargs={"hide_from_ui": True})
    state: list[Json] = [human("old", "h0"), ai("SECRET of an older turn", "a0"), hidden, human()]
    parts: list[Part] = [("values", {"messages": [*state], "title": "SECRET"}, "1")]
    for n, (event, data, _) in enumerate(langgraph_api(), 2):
        parts.append(("messages-tuple" if event == "messages" else event, data, str(n)))
    state += [ai(PREAMBLE, "lc_run--1", tool_calls=[CALLED]), RESULT, hidden, ai(ANSWER, "lc_run--2")]
    return [*parts, ("values", {"messages": state}, "98"), ("end", None, "99")]


def deerflow_values_only() -> list[Part]:
    """The same of a server that sends no updates."""
    return [part for part in deerflow() if part[0] != "updates"]


SERVERS = [langgraph_api, aegra_old, aegra_new, deerflow, deerflow_values_only]


@pytest.mark.parametrize("parts", [each() for each in SERVERS], ids=[server.__name__ for server in SERVERS])
def test_a_tool_turn_of_every_server_reads_the_same(parts: list[Part]) -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    shown = []
    for part in parts:
        transcript.apply(*part)
        shown.append(transcript.text())
    assert transcript.final(concluded=True).text == transcript.text() == WHOLE
    assert all(WHOLE.startswith(text) for text in shown)
    assert transcript.run_id == "01a1"
    titles = [(step.title, step.status.value) for step in transcript.steps.shown()]
    assert titles == [("Get weather", "done")]


def test_what_aegra_sends_twice_is_heard_once() -> None:
    parts = aegra_old()
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    for part in parts[:7]:
        transcript.apply(*part)
    assert transcript.rejoin() == "run_event_7"
    for part in parts[2:]:
        transcript.apply(*part)
    assert transcript.text() == WHOLE


def test_aegras_cancellation_is_an_error_without_a_shape() -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    transcript.apply("error", json.dumps("Run was cancelled"), "run_event_9")
    transcript.apply("end", {"status": "success"}, None)
    assert transcript.error == "Run was cancelled"
    assert transcript.over
