"""Interrupts as questions to a person (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parley.agent.hitl.approvals import APPROVE, EDIT, REJECT, RESPOND, ProposedAction, parse_approval
from parley.agent.hitl.interrupts import BREAKPOINT, Interrupt
from parley.agent.transport.decoding import string
from parley.core.model.questions import Option, Question, QuestionKind
from parley.core.model.types import Json

_WORDED = ("question", "prompt", "message", "description", "text", "title", "ask", "query")
_CHOICES = ("options", "choices")
_VALUES = ("value", "id", "label", "name", "title")
_LABELS = ("label", "title", "name")
_OTHER = "allow_other"
"""The field by which an agent says that words of people's own are an answer too, beside its options."""
_DEFAULT_DESCRIPTION = "Tool execution requires approval"
_MAX_PROMPT = 3000
PART_SEPARATOR = "#"
"""Between an interrupt's id and the number of one of its several actions."""

_YES_NO = (Option(APPROVE, "Approve"), Option(REJECT, "Reject"))


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that an interrupt offers: what people read, what the agent wants back, and what stands for
    that where it is picked: on a button, and in what is kept of a decision.
    """

    label: str
    value: Json
    id: str


def build_questions(interrupt: Interrupt) -> tuple[Question, ...]:
    """What an interrupt asks: one question for each action that waits for approval, else one alone.

    Approvals offer `approve` and `reject` as far as they are allowed; other values offer the options
    they name, or those of their response schema.
    """
    asked = parse_approval(interrupt)
    if asked is None:
        options = tuple(Option(each.id, each.label) for each in offered_choices(interrupt))
        prompt, rest = _prompt(interrupt.value)
        free = not options or _takes_other_words(interrupt.value)
        clipped = _clip(prompt, _MAX_PROMPT)
        return (Question(interrupt.id, clipped, options, may_respond=free, arguments=rest),)
    several = len(asked.actions) > 1
    return tuple(
        _about(action, f"{interrupt.id}{PART_SEPARATOR}{number}" if several else interrupt.id)
        for number, action in enumerate(asked.actions, 1)
    )


def build_breakpoint_question(nodes: Iterable[str]) -> Question:
    """The question that a pause without an interrupt asks."""
    action = ", ".join(nodes)
    return Question(BREAKPOINT, "", _YES_NO, may_respond=False, kind=QuestionKind.PAUSE, action=action)


def _about(action: ProposedAction, key: str) -> Question:
    # LangChain's middleware appends the tool and its arguments in Python's notation: ours are readable.
    description = action.description.split(f"\n\nTool: {action.name}\nArgs: ")[0].strip()
    return Question(
        key,
        "" if description == _DEFAULT_DESCRIPTION else _clip(description, _MAX_PROMPT),
        tuple(option for option in _YES_NO if option.id in action.allowed),
        may_edit=EDIT in action.allowed,
        may_respond=RESPOND in action.allowed,
        kind=QuestionKind.APPROVAL,
        action=action.name,
        arguments=_json(action.args) if action.args else "",
    )


def offered_choices(interrupt: Interrupt) -> tuple[Choice, ...]:
    """The answers that an interrupt offers."""
    value, schema = interrupt.value, interrupt.schema
    if isinstance(value, dict):
        for key in _CHOICES:
            if isinstance(offered := value.get(key), list) and offered:
                return _choices(offered)
    if isinstance(schema, dict):
        if isinstance(offered := schema.get("enum"), list):
            return _choices(offered)
        if schema.get("type") == "boolean":
            return _choices([True, False])
    return ()


def _choices(offered: Sequence[Json]) -> tuple[Choice, ...]:
    """The choices of a list, each with an id of its own: 1 and "1" are two."""
    found: dict[str, Choice] = {}
    for each in offered:
        label, value = _label_and_value(each)
        known = plain = _as_text(value)
        number = 1
        while known in found:
            number += 1
            known = f"{plain} ({number})"
        found[known] = Choice(label, value, known)
    return tuple(found.values())


def _label_and_value(offered: Json) -> tuple[str, Json]:
    value = offered
    if isinstance(offered, dict):
        value = next((offered[key] for key in _VALUES if key in offered), offered)
        label = next((each for key in _LABELS if (each := string(offered.get(key)).strip())), "")
        if label:
            return label, value
    return _as_text(value).capitalize() if isinstance(value, bool) else _as_text(value), value


def _as_text(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _takes_other_words(value: Json) -> bool:
    return isinstance(value, dict) and value.get(_OTHER) is True


def _prompt(value: Json) -> tuple[str, str]:
    """The words of a value, and the rest of it as JSON text."""
    if isinstance(value, str):
        return value, ""
    if not isinstance(value, dict):
        return "", "" if value is None else _json(value)
    worded = next((key for key in _WORDED if string(value.get(key)).strip()), "")
    shown = {
        key: each
        for key, each in value.items()
        if key not in (worded, *_CHOICES, _OTHER) and each not in (None, "")
    }
    return string(value.get(worded)) if worded else "", _json(shown) if shown else ""


def _json(value: Json | Mapping[str, Json]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
