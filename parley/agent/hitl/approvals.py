"""The shapes in which agents ask for approval of tool calls (pure).

- LangChain's human-in-the-loop middleware: `{"action_requests": [...], "review_configs": [...]}`, answered
  with `{"decisions": [...]}`; and its one-call form `{"type": "tool_approval", "name", "args", ...}`,
  answered with a single decision.
- The agent inbox: one or a list of `{"action_request": {"action", "args"}, "config": {"allow_...": true},
  "description"}`, answered in the same shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from parley.agent.hitl.interrupts import Interrupt
from parley.agent.transport.decoding import string
from parley.core.model.types import Json

APPROVE, EDIT, REJECT, RESPOND = "approve", "edit", "reject", "respond"
_DECISIONS = (APPROVE, EDIT, REJECT, RESPOND)
_INBOX = {
    "allow_accept": APPROVE,
    "allow_edit": EDIT,
    "allow_ignore": REJECT,
    "allow_respond": RESPOND,
}


class ApprovalShape(Enum):
    """How an approval is asked for, and so how it is answered."""

    DECISIONS = auto()
    DECISION = auto()
    INBOX = auto()
    INBOX_LIST = auto()


@dataclass(frozen=True, slots=True)
class ProposedAction:
    """A tool call that waits for a person, with the decisions allowed on it."""

    name: str
    args: Mapping[str, Json]
    description: str
    allowed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Approval:
    """Actions that wait for a person."""

    shape: ApprovalShape
    actions: tuple[ProposedAction, ...]

    @property
    def allowed(self) -> frozenset[str]:
        """What is allowed on every one of them."""
        return frozenset.intersection(*(action.allowed for action in self.actions))


def parse_approval(interrupt: Interrupt) -> Approval | None:
    """The approval that an interrupt asks for, or None where it asks something else."""
    value = interrupt.value
    if isinstance(value, list):
        inbox = [_inbox_action(each) for each in value]
        known = tuple(action for action in inbox if action)
        return Approval(ApprovalShape.INBOX_LIST, known) if known and len(known) == len(inbox) else None
    if not isinstance(value, dict):
        return None
    if value.get("type") == "tool_approval":
        allowed = frozenset(_named_in(interrupt.schema)) or frozenset(_DECISIONS)
        return Approval(ApprovalShape.DECISION, (_action(value, allowed),))
    if action := _inbox_action(value):
        return Approval(ApprovalShape.INBOX, (action,))
    return _reviews(value)


def _reviews(value: dict[str, Json]) -> Approval | None:
    requests, configs = value.get("action_requests"), value.get("review_configs")
    if not isinstance(requests, list) or not requests:
        return None
    allowed: dict[str, frozenset[str]] = {}
    for config in configs if isinstance(configs, list) else []:
        if isinstance(config, dict) and isinstance(decisions := config.get("allowed_decisions"), list):
            allowed[string(config.get("action_name"))] = frozenset(_DECISIONS).intersection(
                map(string, decisions)
            )
    actions = [
        _action(request, allowed.get(_name(request), frozenset((APPROVE, REJECT))))
        for request in requests
        if isinstance(request, dict)
    ]
    return Approval(ApprovalShape.DECISIONS, tuple(actions)) if len(actions) == len(requests) else None


def _name(raw: Json) -> str:
    return (string(raw.get("name")) or string(raw.get("action"))) if isinstance(raw, dict) else ""


def _action(raw: dict[str, Json], allowed: frozenset[str], description: str = "") -> ProposedAction:
    args = raw.get("args", raw.get("arguments"))
    return ProposedAction(
        _name(raw),
        args if isinstance(args, dict) else {},
        description or string(raw.get("description")),
        allowed,
    )


def _inbox_action(value: Json) -> ProposedAction | None:
    if not isinstance(value, dict) or not isinstance(request := value.get("action_request"), dict):
        return None
    config = value.get("config")
    config = config if isinstance(config, dict) else {}
    allowed = frozenset(decision for key, decision in _INBOX.items() if config.get(key) is True)
    return _action(request, allowed, string(value.get("description")))


def _named_in(schema: Json) -> Iterator[str]:
    """The decisions that a JSON schema names as the constant of a `type`, at any depth."""
    if isinstance(schema, list):
        for each in schema:
            yield from _named_in(each)
    elif isinstance(schema, dict):
        kind = schema.get("type")
        constant = kind.get("const") if isinstance(kind, dict) else None
        if constant in _DECISIONS:
            yield string(constant)
        for each in schema.values():
            yield from _named_in(each)
