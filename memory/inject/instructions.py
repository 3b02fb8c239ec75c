"""The person's standing instructions: a section of their own at the top of a block."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.ports.memory.port import MOST_INSTRUCTIONS
from parley.memory.inject.line_cache import Render
from parley.memory.model.document import Category, Fact
from parley.memory.text.instructions import is_standing_instruction
from parley.memory.text.token_counting import estimate_with_margin

_HEADING = "How the person wants every answer (their own words; style, language and format only):\n"
_MOST_TOKENS = 500
_MOST_OF_BUDGET = 0.5


def instruction_section(facts: Sequence[Fact], render: Render, budget: int) -> str:
    """Return the section of the newest instructions that hold, within half of a budget; empty without any.

    A text that is no instruction about style (a file may be edited by hand) has no place here.
    """
    wishes = sorted((fact for fact in facts if _is_told(fact)), key=lambda fact: fact.last_said, reverse=True)
    if not wishes:
        return ""
    most = min(_MOST_TOKENS, int(budget * _MOST_OF_BUDGET))
    lines, left = list[str](), most - estimate_with_margin(_HEADING)
    for line in map(render, wishes[:MOST_INSTRUCTIONS]):
        cost = estimate_with_margin(line)
        if line and cost <= left:
            lines.append(line)
            left -= cost
    return f"{_HEADING}{''.join(lines)}" if lines else ""


def is_no_instruction(fact: Fact) -> bool:
    """Return whether a fact is none that the section has or had: instructions that are past are not told."""
    return fact.category != Category.INSTRUCTION or not (_is_told(fact) or _was_told(fact))


def _is_told(fact: Fact) -> bool:
    return fact.category == Category.INSTRUCTION and not fact.until and is_standing_instruction(fact.content)


def _was_told(fact: Fact) -> bool:
    return fact.category == Category.INSTRUCTION and bool(fact.until)
