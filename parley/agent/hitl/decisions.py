"""A person's decision as the answer to an interrupt (pure).

The rule for words that are not understood: never approve. Only a text that is an approval and nothing else
approves; anything else is said to the agent where it may be, as a response, or as the reason of a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from parley.agent.hitl.approvals import (
    APPROVE,
    EDIT,
    REJECT,
    RESPOND,
    ApprovalShape,
    ProposedAction,
    parse_approval,
)
from parley.agent.hitl.interrupts import Interrupt
from parley.agent.hitl.questions import (
    build_breakpoint_question,
    build_questions,
    offered_choices,
)
from parley.agent.transport.decoding import read_text
from parley.core.hitl.policy import is_no, is_yes, parse_reply, refusal_reason
from parley.core.model.questions import AnswerKind, InterruptAnswer, Question
from parley.core.model.types import Json
from parley.core.texts.typed_words import RESPONSE

_RESPONSE = re.compile(rf"(?:{RESPONSE})[\s:：]+(.+)", re.IGNORECASE | re.DOTALL)
_SILENT = InterruptAnswer("", "")
_UNDECIDED = InterruptAnswer("", "reject No decision was given for this action.")


def lets_go_on(answer: InterruptAnswer) -> bool:
    """Tell whether the answer to a breakpoint lets its run go on."""
    return _read(build_breakpoint_question(()), answer) == (AnswerKind.OPTION, APPROVE)


def build_resume_value(interrupt: Interrupt, given: Mapping[int, InterruptAnswer]) -> Json:
    """Return what an interrupted graph is to be resumed with, in the shape that its interrupt asks for.

    `given` has the answers to each of its actions, from 1; to what asks one thing only, the answer under 1.
    """
    asked, questions = parse_approval(interrupt), build_questions(interrupt)
    if asked is None:
        return _plain_value(interrupt, *_read(questions[0], given.get(1, _SILENT)))
    answers = [
        _in_shape(asked.shape, action, *_decision(action, question, given.get(number, _UNDECIDED)))
        for number, (action, question) in enumerate(zip(asked.actions, questions, strict=True), 1)
    ]
    if asked.shape is ApprovalShape.DECISIONS:
        return {"decisions": answers}
    return answers if asked.shape is ApprovalShape.INBOX_LIST else answers[0]


def _read(question: Question, answer: InterruptAnswer) -> tuple[AnswerKind, str]:
    """Return an answer's kind and text; words, which an older version kept all as, are read as in chats."""
    if answer.kind is not AnswerKind.WORDS:
        return answer.kind, answer.text
    said = answer.text.strip()
    if any(said == option.id for option in question.options):
        return AnswerKind.OPTION, said
    return parse_reply(question, said) or (AnswerKind.WORDS, said)


def _decision(action: ProposedAction, question: Question, answer: InterruptAnswer) -> tuple[str, Json]:
    (kind, value), said = _read(question, answer), answer.text.strip()
    if kind is AnswerKind.OPTION and value in (APPROVE, REJECT) and value in action.allowed:
        return value, ""
    if kind is AnswerKind.EDIT and EDIT in action.allowed and (edited := _edited(action, value)):
        return EDIT, edited
    if REJECT in action.allowed and (reason := refusal_reason(said)):
        return REJECT, reason
    if RESPOND in action.allowed:
        match = _RESPONSE.fullmatch(said)
        return RESPOND, match[1].strip() if match else said
    return REJECT, "" if is_no(said) else said


def _edited(action: ProposedAction, arguments: str) -> dict[str, Json]:
    """Return the action's arguments with others in their place; the tool stays the same."""
    try:
        given = read_text(arguments)
    except ValueError:
        return {}
    if not isinstance(given, dict):
        return {}
    args = given.get("args")
    if isinstance(args, dict) and given.keys() <= {"name", "action", "args"}:
        given = args
    return {**action.args, **given}


def _in_shape(shape: ApprovalShape, action: ProposedAction, decision: str, detail: Json) -> Json:
    if shape in (ApprovalShape.INBOX, ApprovalShape.INBOX_LIST):
        return _for_inbox(action, decision, detail)
    if decision == EDIT:
        return {"type": EDIT, "edited_action": {"name": action.name, "args": detail}}
    answer: dict[str, Json] = {"type": decision}
    if decision == RESPOND or (decision == REJECT and detail):
        answer["message"] = detail
    return answer


def _for_inbox(action: ProposedAction, decision: str, detail: Json) -> Json:
    if decision == APPROVE:
        return {"type": "accept", "args": _request(action, action.args)}
    if decision == EDIT and isinstance(detail, dict):
        return {"type": "edit", "args": _request(action, detail)}
    if detail and RESPOND in action.allowed:
        # The inbox's own refusal carries no reason; a response does.
        return {"type": "response", "args": detail}
    return {"type": "ignore", "args": None}


def _request(action: ProposedAction, args: Mapping[str, Json]) -> Json:
    return {"action": action.name, "args": dict(args)}


def _plain_value(interrupt: Interrupt, kind: AnswerKind, said: str) -> Json:
    if kind is AnswerKind.OPTION:
        for each in offered_choices(interrupt):
            if said == each.id:
                return each.value
    schema = interrupt.schema
    return _by_schema(schema, said) if isinstance(schema, dict) else said


def _by_schema(schema: dict[str, Json], said: str) -> Json:
    if schema.get("type") == "boolean":
        return is_yes(said)
    if schema.get("type") == "string":
        return said
    try:
        value = read_text(said)
    except ValueError:
        value = said
    properties = schema.get("properties")
    if isinstance(value, str) and isinstance(properties, dict) and len(properties) == 1:
        return {next(iter(properties)): value}
    return value
