"""Interrupts as questions to a person (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from agent.approvals import APPROVE, EDIT, REJECT, RESPOND, Action, Approval, approval
from agent.interrupts import BREAKPOINT, Interrupt
from agent.messages import string
from bridge.types import Json, Option, Question

_WORDED = ("question", "prompt", "message", "description", "text", "title", "ask", "query")
_CHOICES = ("options", "choices")
_DEFAULT_DESCRIPTION = "Tool execution requires approval"
_MAX_ARGUMENTS = 1500
_MAX_PROMPT = 3000

LABELS = {APPROVE: "Approve", REJECT: "Reject"}


def question(interrupt: Interrupt) -> Question:
    """The question that an interrupt asks.

    Approvals offer `approve` and `reject` as far as they are allowed; other values offer the options
    they name, or those of their response schema.
    """
    if asked := approval(interrupt):
        return Question(
            interrupt.id,
            _clip(_approval_prompt(asked), _MAX_PROMPT),
            tuple(Option(each, label) for each, label in LABELS.items() if each in asked.allowed),
            may_edit=len(asked.actions) == 1 and EDIT in asked.allowed,
            may_respond=bool(asked.allowed & {REJECT, RESPOND}),
        )
    options = tuple(Option(*_named(choice)) for choice in choices(interrupt))
    return Question(interrupt.id, _clip(_prompt(interrupt.value), _MAX_PROMPT), options)


def breakpoint_question(nodes: Iterable[str]) -> Question:
    """The question that a pause without an interrupt asks."""
    before = ", ".join(nodes)
    prompt = f"The agent stopped before: {before}. Shall it go on?" if before else "Shall the agent go on?"
    return Question(BREAKPOINT, prompt, tuple(Option(each, label) for each, label in LABELS.items()))


def choices(interrupt: Interrupt) -> tuple[Json, ...]:
    """The answers that an interrupt offers, as the agent wants them back."""
    value, schema = interrupt.value, interrupt.schema
    if isinstance(value, dict):
        for key in _CHOICES:
            if isinstance(offered := value.get(key), list) and offered:
                return tuple(_wanted(each) for each in offered)
    if isinstance(schema, dict):
        if isinstance(offered := schema.get("enum"), list):
            return tuple(offered)
        if schema.get("type") == "boolean":
            return (True, False)
    return ()


def _wanted(choice: Json) -> Json:
    if isinstance(choice, dict):
        for key in ("value", "id", "label", "name", "title"):
            if key in choice:
                return choice[key]
    return choice


def _named(choice: Json) -> tuple[str, str]:
    if isinstance(choice, bool):
        return ("yes", "Yes") if choice else ("no", "No")
    label = choice if isinstance(choice, str) else json.dumps(choice, ensure_ascii=False)
    return label, label


def _approval_prompt(asked: Approval) -> str:
    if len(asked.actions) == 1:
        return _action_prompt(asked.actions[0])
    return "\n\n".join(f"{n}. {_action_prompt(action)}" for n, action in enumerate(asked.actions, 1))


def _action_prompt(action: Action) -> str:
    # LangChain's middleware appends the tool and its arguments in Python's notation: ours are readable.
    description = action.description.split(f"\n\nTool: {action.name}\nArgs: ")[0].strip()
    lines = [f"The agent asks to run `{action.name}`:"]
    if description and description != _DEFAULT_DESCRIPTION:
        lines.insert(0, description)
    if action.args:
        lines.append(_fenced(action.args))
    return "\n".join(lines)


def _prompt(value: Json) -> str:
    if isinstance(value, str):
        return value or "The agent waits for your answer."
    if not isinstance(value, dict):
        return "The agent waits for your answer." if value is None else _fenced(value)
    worded = next((key for key in _WORDED if string(value.get(key)).strip()), "")
    shown = {
        key: each for key, each in value.items() if key not in (worded, *_CHOICES) and each not in (None, "")
    }
    parts = [string(value.get(worded)) if worded else "The agent waits for your answer."]
    return "\n".join(parts + ([_fenced(shown)] if shown else []))


def _fenced(value: Json | Mapping[str, Json]) -> str:
    return f"```json\n{_clip(json.dumps(value, ensure_ascii=False, indent=2), _MAX_ARGUMENTS)}\n```"


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
