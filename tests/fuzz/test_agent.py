"""Whatever an agent server says, a run ends with an answer, or with an error that is ours."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.agent.files import outgoing
from parley.agent.hitl.decisions import build_resume_value
from parley.agent.hitl.interrupts import next_nodes, parse_interrupts, pending_interrupts
from parley.agent.hitl.questions import build_questions
from parley.agent.stream import final_answer, messages, steps
from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.thread_values import ThreadValues
from parley.agent.stream.transcript import RunTranscript
from parley.agent.transport import model_list
from parley.core.model.questions import AnswerKind, InterruptAnswer
from tests.fuzz.strategies import bent, fuzzed, texts, values

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3_000)]

ASKED = TurnAnchor("h1", "hello")
ANSWERS = st.builds(InterruptAnswer, st.just("i1"), texts, st.sampled_from(AnswerKind))
MESSAGE = {
    "type": "AIMessageChunk",
    "id": "m1",
    "content": [
        {"type": "text", "text": "hi"},
        {"type": "image", "base64": "eA==", "mime_type": "image/png"},
    ],
    "tool_calls": [{"id": "c1", "name": "search", "args": {"q": "x"}}],
    "tool_call_chunks": [{"index": 0, "id": "c1", "name": "search", "args": "{}"}],
    "usage_metadata": {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8},
    "response_metadata": {"model_name": "gpt", "finish_reason": "stop"},
    "additional_kwargs": {},
}
TOOL = {
    "type": "tool",
    "id": "t1",
    "tool_call_id": "c1",
    "content": "found",
    "name": "search",
    "status": "error",
}
HUMAN = {"type": "human", "id": "h1", "content": "hello"}
WRAPPED = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": MESSAGE,
}
APPROVAL = {
    "action_requests": [{"name": "send", "args": {"to": "Ada"}, "description": "d"}],
    "review_configs": [
        {"action_name": "send", "allowed_decisions": ["approve", "edit", "reject", "respond"]}
    ],
}
INBOX = [
    {
        "action_request": {"action": "send", "args": {"to": "Ada"}},
        "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": True},
        "description": "d",
    }
]
PLAIN = {"question": "Which?", "options": ["a", {"id": "b", "label": "B"}], "response_schema": {}}
INTERRUPT = [
    {"id": "i1", "value": APPROVAL},
    {"interrupt_id": "i2", "value": INBOX},
    {
        "id": "i3",
        "value": PLAIN,
        "response_schema": {"type": "object", "properties": {"x": {"type": "string"}}},
    },
    {"id": "i4", "value": "really?", "response_schema": {"type": "boolean"}},
]
STATE = {"values": {"messages": [HUMAN, MESSAGE, TOOL]}, "next": ["n"], "tasks": [{"interrupts": INTERRUPT}]}
EVENTS = {
    "metadata": {"run_id": "r1"},
    "messages": [MESSAGE, {"langgraph_node": "n", "tags": [], "run_id": "r", "checkpoint_ns": "n:1"}],
    "messages/partial": [MESSAGE],
    "messages/complete": [MESSAGE, TOOL],
    "messages/metadata": {"m1": {"metadata": {"langgraph_node": "n"}}},
    "updates": {"n": {"messages": [MESSAGE, WRAPPED, ["ai", "x"]]}, "__interrupt__": INTERRUPT},
    "values": {"messages": [HUMAN, WRAPPED, MESSAGE], "answer": "x", "__interrupt__": INTERRUPT},
    "custom": {"progress": 1, "message": "x"},
    "error": {"error": "E", "message": "m"},
    "end": {"status": "success"},
    "tasks": {"id": "1", "name": "n", "error": None, "interrupts": []},
}


@fuzzed()
@given(st.data())
def test_any_stream_of_events_is_followed(data):
    transcript = RunTranscript(ASKED)
    for number in range(data.draw(st.integers(1, 6))):
        name = data.draw(st.sampled_from(sorted(EVENTS)) | texts)
        body = data.draw(bent([EVENTS[name]]) if name in EVENTS and data.draw(st.booleans()) else values)
        if data.draw(st.booleans()):
            body = json.dumps(body)
        transcript.apply(name, body, data.draw(st.sampled_from((None, "", f"{number}-0", "1-0"))))
        assert isinstance(transcript.text(), str)
        if data.draw(st.integers(0, 9)) == 0:
            transcript.rejoin()
    transcript.conclude(data.draw(bent([STATE["values"]]) | values))
    transcript.text()


@fuzzed()
@given(bent([STATE]) | values)
def test_any_state_is_read(state):
    found = state.get("values") if isinstance(state, dict) else state
    thread = ThreadValues(found, ASKED)
    thread.answer(True)
    thread.ends_with_answer()
    next_nodes(state)
    pending_interrupts(state)
    model_list.parse_model_names(state)


@fuzzed()
@given(bent([INTERRUPT]) | values, st.dictionaries(st.integers(1, 3), ANSWERS))
def test_any_interrupt_is_asked_and_answered_with_anything(raw, answers):
    for interrupt in parse_interrupts(raw):
        for question in build_questions(interrupt):
            assert isinstance(question.prompt, str)
        json.dumps(build_resume_value(interrupt, answers))


@fuzzed()
@given(bent([MESSAGE, TOOL, HUMAN, WRAPPED]) | values | texts)
def test_any_message_is_read(raw):
    found = messages.parse_message(raw)
    messages.parse_message(json.dumps(raw))
    if found is not None:
        final_answer.compose_answer([found], True)
        for _ in outgoing.extract_files([found.content]):
            pass


@fuzzed()
@given(texts, st.integers(0, 99), texts)
def test_any_name_of_a_file_or_a_step_is_shown(name, number, mime):
    found = outgoing.safe_name(name, number, mime)
    assert "/" not in found
    assert 0 < len(found.encode()) < 256
    steps.title(name)
    assert "\n" not in steps.one_line(name)
