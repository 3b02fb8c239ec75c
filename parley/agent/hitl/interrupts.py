"""What a paused thread waits for, as servers put it (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from parley.agent.transport.decoding import string
from parley.core.model.types import Json

BREAKPOINT = "breakpoint"
"""The id of a pause without an interrupt: a graph compiled to stop before or after a node."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """A value that a graph shows to a person, and the JSON schema of the answer where it declares one."""

    id: str
    value: Json
    schema: Json = None


def parse_interrupts(raw: Json) -> tuple[Interrupt, ...]:
    """Read the interrupts of an `__interrupt__` entry or of a state."""
    if isinstance(raw, dict):
        raw = [raw]
    if not isinstance(raw, list):
        return ()
    return tuple(
        Interrupt(
            string(each.get("id") or each.get("interrupt_id")), each.get("value"), each.get("response_schema")
        )
        for each in raw
        if isinstance(each, dict) and "value" in each
    )


def merge_by_id(*groups: Iterable[Interrupt]) -> dict[str, Interrupt]:
    """Interrupts by id; a server may tell of the same one several times."""
    return {each.id: each for group in groups for each in group}


def pending_interrupts(state: Json) -> dict[str, Interrupt]:
    """What a thread waits for, out of its state; a bare breakpoint has the id BREAKPOINT."""
    if not isinstance(state, dict):
        return {}
    tasks = state.get("tasks")
    tasks = tasks if isinstance(tasks, list) else []
    return merge_by_id(
        parse_interrupts(state.get("interrupts")),
        *(parse_interrupts(task.get("interrupts")) for task in tasks if isinstance(task, dict)),
    )


def next_nodes(state: Json) -> tuple[str, ...]:
    """The nodes that a thread would run next."""
    following = state.get("next") if isinstance(state, dict) else None
    return tuple(string(node) for node in following) if isinstance(following, list) else ()
