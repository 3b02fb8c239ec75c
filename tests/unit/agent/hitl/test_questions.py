"""Interrupts as questions, and words as answers: never an approval by accident."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.agent.hitl import decisions as deciding
from parley.agent.hitl.interrupts import Interrupt, pending_interrupts
from parley.agent.hitl.questions import build_questions
from parley.core.model.questions import AnswerKind, InterruptAnswer, Question, QuestionKind
from parley.core.model.types import Json, JsonObject

ALL = ["approve", "edit", "reject", "respond"]


def review(*allowed: str, count: int = 1) -> Interrupt:
    """LangChain's human-in-the-loop middleware."""
    request: Json = {"name": "send_email", "args": {"to": "ada@example.org", "body": "Hi"}}
    config: Json = {"action_name": "send_email", "allowed_decisions": list(allowed or ALL)}
    return Interrupt("i1", {"action_requests": [request] * count, "review_configs": [config]})


def tool_approval(*allowed: str) -> Interrupt:
    """The same middleware asking for one call."""
    members: Json = [{"$ref": f"#/$defs/{each}"} for each in allowed]
    defs: Json = {each: {"properties": {"type": {"const": each, "type": "string"}}} for each in allowed}
    value: Json = {"type": "tool_approval", "tool_call_id": "c1", "name": "rm", "args": {"path": "/x"}}
    return Interrupt("i1", value, {"oneOf": members, "$defs": defs})


def inbox(**config: bool) -> Json:
    """The agent inbox's request."""
    allowed: Json = {f"allow_{key}": value for key, value in config.items()}
    return {
        "action_request": {"action": "rm", "args": {"path": "/x"}},
        "config": allowed,
        "description": "Sure?",
    }


def words(text: str) -> InterruptAnswer:
    """Words, as a version kept them that told no kinds."""
    return InterruptAnswer("i1", text)


def resume_value(interrupt: Interrupt, *texts: str) -> Json:
    """What is resumed with, for the words to each action."""
    return deciding.build_resume_value(interrupt, {n: words(text) for n, text in enumerate(texts, start=1)})


def question(interrupt: Interrupt) -> Question:
    (only,) = build_questions(interrupt)
    return only


def decisions(value: Json) -> list[dict[str, Any]]:
    assert isinstance(value, dict)
    return cast("list[dict[str, Any]]", value["decisions"])


@pytest.mark.parametrize("text", ["approve", "Yes", " ok! ", "1", "批准", "同意", "好的。"])
def test_words_of_approval_approve(text: str) -> None:
    assert resume_value(review(), text) == {"decisions": [{"type": "approve"}]}


@pytest.mark.parametrize("text", ["no", "2", "拒绝", "Reject"])
def test_words_of_refusal_reject(text: str) -> None:
    assert resume_value(review(), text) == {"decisions": [{"type": "reject"}]}


@pytest.mark.parametrize("text", ["reject: wrong address", "拒绝，wrong address", "deny wrong address"])
def test_a_refusal_carries_its_reason(text: str) -> None:
    assert decisions(resume_value(review(), text)) == [{"type": "reject", "message": "wrong address"}]


def test_an_edit_changes_the_named_arguments_of_the_same_tool() -> None:
    edited: JsonObject = {"name": "send_email", "args": {"to": "bob@example.org", "body": "Hi"}}
    for text in ('edit {"to": "bob@example.org"}', '修改 {"name": "rm", "args": {"to": "bob@example.org"}}'):
        assert decisions(resume_value(review(), text)) == [{"type": "edit", "edited_action": edited}]


@pytest.mark.parametrize(
    "text", ["ok but to Bob", "yes?no", "approve it tomorrow", "edit {broken", "不同意见呢"]
)
def test_words_that_are_not_an_approval_never_approve(text: str) -> None:
    assert resume_value(review("approve", "reject"), text) != {"decisions": [{"type": "approve"}]}
    assert decisions(resume_value(review("approve", "respond"), text)) == [
        {"type": "respond", "message": text}
    ]


def test_words_of_an_older_version_are_heard_as_the_reason_of_a_refusal() -> None:
    answer = decisions(resume_value(review("approve", "reject"), "to Bob instead"))
    assert answer == [{"type": "reject", "message": "to Bob instead"}]


@given(st.text(max_size=30), st.sets(st.sampled_from(ALL)))
def test_only_what_is_allowed_approves(text: str, allowed: set[str]) -> None:
    (answer,) = decisions(resume_value(review(*(allowed - {"approve"} or {"reject"})), text))
    assert answer["type"] != "approve"


def test_each_action_is_a_question_of_its_own_and_all_are_resumed_at_once() -> None:
    both = review("approve", "reject", count=2)
    assert [asked.id for asked in build_questions(both)] == ["i1#1", "i1#2"]
    each = [{"type": "approve"}, {"type": "reject", "message": "too dear"}]
    assert decisions(resume_value(both, "approve", "reject too dear")) == each


def test_an_action_that_nobody_decided_is_refused() -> None:
    given = deciding.build_resume_value(review(count=2), {2: words("approve")})
    first, second = decisions(given)
    assert (first["type"], second) == ("reject", {"type": "approve"})


def test_a_single_tool_approval_takes_a_single_decision() -> None:
    asked = tool_approval("approve", "reject")
    assert resume_value(asked, "yes") == {"type": "approve"}
    assert resume_value(asked, "not now") == {"type": "reject", "message": "not now"}
    assert resume_value(tool_approval("respond"), "yes") == {"type": "respond", "message": "yes"}


def test_the_inbox_is_answered_in_its_own_shape() -> None:
    request = inbox(accept=True, ignore=True, respond=True, edit=True)
    accepted = {"type": "accept", "args": {"action": "rm", "args": {"path": "/x"}}}
    assert resume_value(Interrupt("i", [request]), "ok") == [accepted]
    assert resume_value(Interrupt("i", request), "ok") == accepted
    assert resume_value(Interrupt("i", request), "no") == {"type": "ignore", "args": None}
    assert resume_value(Interrupt("i", request), "why?") == {"type": "response", "args": "why?"}
    edited = resume_value(Interrupt("i", request), 'edit {"path": "/y"}')
    assert edited == {"type": "edit", "args": {"action": "rm", "args": {"path": "/y"}}}
    assert resume_value(Interrupt("i", inbox(respond=True)), "ok") == {"type": "response", "args": "ok"}


def test_plain_questions_get_plain_words() -> None:
    assert resume_value(Interrupt("i", "Which city?"), " Rome ") == "Rome"
    assert resume_value(Interrupt("i", {"question": "Send?", "draft": "..."}), "ok") == "ok"


def test_options_are_met_by_number_and_by_name() -> None:
    asked = Interrupt("i", {"question": "Which?", "options": ["Red", {"value": 7, "label": "Blue"}]})
    assert [resume_value(asked, text) for text in ("1", "red", "2", "green")] == ["Red", "Red", 7, "green"]
    assert [option.id for option in question(asked).options] == ["Red", "7"]


def test_labels_are_shown_and_values_are_sent() -> None:
    offered: list[Json] = [
        {"label": "Yes, sure", "value": True},
        {"title": "Later", "id": "t-17"},
        {"value": {"days": 3}, "label": "In three days"},
        {"name": "Never"},
        {"value": False, "label": " "},
        {"odd": 1},
    ]
    asked = Interrupt("i", {"question": "Ship?", "options": offered})
    labels = [option.label for option in question(asked).options]
    assert labels == ["Yes, sure", "Later", "In three days", "Never", "No", '{"odd": 1}']
    values = [True, "t-17", {"days": 3}, "Never", False, {"odd": 1}]
    assert [resume_value(asked, label) for label in labels] == values
    assert [resume_value(asked, str(number)) for number in range(1, 7)] == values


def test_other_words_are_an_answer_only_where_the_agent_says_so() -> None:
    value: dict[str, Json] = {"question": "Which?", "options": ["Red", "Blue"]}
    assert not question(Interrupt("i", value)).may_respond
    other = question(Interrupt("i", value | {"allow_other": True}))
    assert (other.may_respond, other.arguments) == (True, "")
    assert not question(Interrupt("i", value | {"allow_other": "no"})).may_respond
    assert question(Interrupt("i", "Which city?")).may_respond


def test_a_response_schema_shapes_the_answer() -> None:
    yes_no = Interrupt("i", "Send?", {"type": "boolean"})
    assert [resume_value(yes_no, text) for text in ("yes", "1", "no", "2", "hm")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert resume_value(Interrupt("i", "How many?", {"type": "integer"}), "3") == 3
    named = Interrupt("i", "Name?", {"type": "object", "properties": {"name": {"type": "string"}}})
    assert resume_value(named, "Ada") == {"name": "Ada"}


def test_an_approval_is_readable() -> None:
    asked = question(review())
    assert (asked.kind, asked.action) == (QuestionKind.APPROVAL, "send_email")
    assert '"to": "ada@example.org"' in asked.arguments
    assert [option.id for option in asked.options] == ["approve", "reject"]
    assert (asked.may_edit, asked.may_respond) == (True, True)
    assert not question(review("approve", "reject")).may_respond


@pytest.mark.parametrize(
    "value", [None, "", 7, [], {}, [{}], {"action_requests": []}, {"action_requests": [1]}]
)
def test_any_value_makes_a_question(value: Json) -> None:
    assert question(Interrupt("i", value)).kind is QuestionKind.INPUT
    assert resume_value(Interrupt("i", value), "x") == "x"


def test_what_waits_is_found_wherever_a_state_has_it() -> None:
    task: Json = {"id": "t", "interrupts": [{"id": "i1", "value": 1}, {"id": "i2", "value": 2}]}
    assert list(pending_interrupts({"tasks": [task], "interrupts": [{"id": "i1", "value": 1}]})) == [
        "i1",
        "i2",
    ]
    assert pending_interrupts({"tasks": None, "interrupts": "x"}) == {}


@pytest.mark.parametrize("said", ["9" * 5_000, "[" * 100_000, 'edit {"a":' + "[" * 100_000 + "}"])
def test_words_that_are_no_number_and_no_json_are_words(said: str) -> None:
    asked = Interrupt("i", {"question": "Which?", "options": ["Red", "Blue"]})
    assert resume_value(asked, said) == said
    assert resume_value(Interrupt("i", "How many?", {"type": "array"}), said) == (
        int(said) if said.isdecimal() and len(said) < 10 else said
    )
    assert resume_value(review(), said) == {"decisions": [{"type": "respond", "message": said}]}


def resumed_with(interrupt: Interrupt, text: str, kind: AnswerKind) -> Json:
    return deciding.build_resume_value(interrupt, {1: InterruptAnswer("i1", text, kind)})


def test_what_was_decided_is_not_read_again() -> None:
    asked = Interrupt("i", {"question": "Which?", "options": ["2", "1", "edit"]})
    for option in ("1", "2", "edit"):
        assert resumed_with(asked, option, AnswerKind.OPTION) == option
    edited: JsonObject = {"name": "send_email", "args": {"to": "bob@example.org", "body": "Hi"}}
    assert decisions(resumed_with(review(), '{"to": "bob@example.org"}', AnswerKind.EDIT)) == [
        {"type": "edit", "edited_action": edited}
    ]
    assert decisions(resumed_with(review(), "approve", AnswerKind.OPTION)) == [{"type": "approve"}]


def test_a_decision_that_is_not_allowed_approves_nothing() -> None:
    for kind in AnswerKind:
        for text in ("approve", "{}", '{"to": "bob"}'):
            (answer,) = decisions(resumed_with(review("reject"), text, kind))
            assert answer == {"type": "reject", "message": text}


@pytest.mark.parametrize(
    ("text", "kind", "goes_on"),
    [
        ("approve", AnswerKind.OPTION, True),
        ("reject", AnswerKind.OPTION, False),
        ("{}", AnswerKind.EDIT, False),
        ("ok", AnswerKind.WORDS, True),
        ("1", AnswerKind.WORDS, True),
        ("why?", AnswerKind.WORDS, False),
    ],
)
def test_a_pause_goes_on_with_an_approval_only(text: str, kind: AnswerKind, goes_on: bool) -> None:
    assert deciding.lets_go_on(InterruptAnswer("breakpoint", text, kind)) is goes_on


def test_options_that_look_alike_are_answered_apart() -> None:
    values: list[Json] = [1, "1", True, "yes", "1 (2)", {"label": "Send", "value": "yes"}]
    asked = Interrupt("i", {"question": "Which?", "options": values})
    options = build_questions(asked)[0].options
    assert len({option.id for option in options}) == len(values)
    for option, value in zip(options, [1, "1", True, "yes", "1 (2)", "yes"], strict=True):
        answer = resumed_with(asked, option.id, AnswerKind.OPTION)
        assert (type(answer), answer) == (type(value), value)
