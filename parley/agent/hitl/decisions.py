"""A person's words as the answer to an interrupt (pure).

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
from parley.agent.hitl.questions import choice_id_and_label, offered_choices
from parley.agent.transport.decoding import read_text
from parley.core.model.types import Json

_YES = frozenset(
    (
        *("approve", "approved", "yes", "y", "ok", "okay", "accept", "confirm", "true", "sure", "go ahead"),
        *("批准", "同意", "好", "好的", "可以", "是", "是的", "确认", "通过", "允许", "行", "👍", "✅"),
    )
)
_NO = frozenset(
    (
        *("reject", "rejected", "refuse", "refused", "no", "n", "deny", "decline", "ignore", "cancel"),
        "false",
        *("拒绝", "不同意", "不批准", "不可以", "不行", "不", "不要", "否", "取消", "驳回", "👎", "❌"),
    )
)
_REFUSAL = re.compile(
    r"(?:(?:reject|refuse|deny|decline)\b|拒绝|不同意|不批准|驳回)[\s:：,，.。-]*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_EDITION = re.compile(r"(?:edit\b|编辑|修改)[\s:：]*(\{.*\})\s*", re.IGNORECASE | re.DOTALL)
_RESPONSE = re.compile(r"(?:respond|reply|回复)[\s:：]+(.+)", re.IGNORECASE | re.DOTALL)
_MOST_DIGITS = 10
_SILENCE = "No decision was given for this action."


def is_yes(text: str) -> bool:
    """Whether `text` says yes and nothing else; "1" is the first option, which is yes."""
    return _folded(text) in _YES or text.strip() == "1"


def build_resume_value(interrupt: Interrupt, given: Mapping[int, str]) -> Json:
    """What an interrupted graph is to be resumed with, in the shape that its interrupt asks for.

    `given` has the words to each of its actions, from 1; to what asks one thing only, the words under 1.
    """
    asked = parse_approval(interrupt)
    if asked is None:
        return _plain_value(interrupt, given.get(1, ""))
    answers = [
        _in_shape(
            asked.shape, action, *_decision(action, _worded(action, given.get(n, f"reject {_SILENCE}")))
        )
        for n, action in enumerate(asked.actions, 1)
    ]
    if asked.shape is ApprovalShape.DECISIONS:
        return {"decisions": answers}
    return answers if asked.shape is ApprovalShape.INBOX_LIST else answers[0]


def _worded(action: ProposedAction, text: str) -> str:
    """The option that a number means, or the text as it is."""
    options = [option for option in (APPROVE, REJECT) if option in action.allowed]
    number = _number(text.strip())
    return options[number - 1] if 0 < number <= len(options) else text


def _decision(action: ProposedAction, text: str) -> tuple[str, Json]:
    said, folded = text.strip(), _folded(text)
    if folded in _YES and APPROVE in action.allowed:
        return APPROVE, ""
    if edited := _edited(action, said):
        return EDIT, edited
    if REJECT in action.allowed:
        if folded in _NO:
            return REJECT, ""
        if match := _REFUSAL.fullmatch(said):
            return REJECT, match[1].strip()
    if RESPOND in action.allowed:
        match = _RESPONSE.fullmatch(said)
        return RESPOND, match[1].strip() if match else said
    return REJECT, "" if folded in _NO else said


def _edited(action: ProposedAction, said: str) -> dict[str, Json]:
    """The action's arguments with those of `edit {...}` in their place; the tool stays the same."""
    match = _EDITION.fullmatch(said) if EDIT in action.allowed else None
    if not match:
        return {}
    try:
        given = read_text(match[1])
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


def _plain_value(interrupt: Interrupt, text: str) -> Json:
    offered, said = offered_choices(interrupt), text.strip()
    number = _number(said)
    if 0 < number <= len(offered) and not any(str(each) == said for each in offered):
        return offered[number - 1]
    for each in offered:
        if said.casefold() in (name.casefold() for name in choice_id_and_label(each)):
            return each
    schema = interrupt.schema
    return _by_schema(schema, said) if isinstance(schema, dict) else said


def _by_schema(schema: dict[str, Json], said: str) -> Json:
    if schema.get("type") == "boolean":
        return _folded(said) in _YES
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


def _number(said: str) -> int:
    """The number that the words are, or 0; of thousands of digits Python makes none."""
    return int(said) if said.isdecimal() and len(said) < _MOST_DIGITS else 0


def _folded(text: str) -> str:
    return text.strip().strip(" .!?。！？,，").casefold()
