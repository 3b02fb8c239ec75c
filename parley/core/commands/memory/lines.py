"""Facts as lines of an answer, and what is said of an undone change."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.commands.context import CommandContext
from parley.core.ports.memory.port import FactView, UndoResult
from parley.core.texts import Sentence

MAX_FACTS_SHOWN = 20
"""Facts that one answer lists."""
UNDONE = {
    UndoResult.DONE: Sentence.MEMORY_UNDONE,
    UndoResult.NOTHING: Sentence.MEMORY_NOTHING_TO_UNDO,
    UndoResult.FORGOTTEN: Sentence.MEMORY_NOT_UNDONE,
}


def first_facts(context: CommandContext, facts: Sequence[FactView]) -> list[str]:
    """Return the lines of the first of them, and how many more there are."""
    more = len(facts) - MAX_FACTS_SHOWN
    return [
        *fact_lines(facts[:MAX_FACTS_SHOWN]),
        *([context.say(Sentence.MEMORY_MORE, count=more)] if more > 0 else []),
    ]


def fact_lines(facts: Sequence[FactView]) -> list[str]:
    """Return a line for each fact; a sentence of a summary has no id."""
    return [
        f"- `{fact.id}` {fact.content} ({fact.category}, {fact.confidence:.2f}{_end(fact)})"
        if fact.id
        else f"- {fact.content}"
        for fact in facts
    ]


def _end(fact: FactView) -> str:
    """Return the day until which a past fact held."""
    return f", … {fact.until}" if fact.until else ""
