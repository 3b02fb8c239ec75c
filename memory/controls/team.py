"""The memory of a chat for a run, and what members said for it (pure but for the cache)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from parley.core.ports.memory.port import NO_ORIGIN
from parley.memory.edits.forgetting import forget_facts
from parley.memory.inject.lines import team_line
from parley.memory.model.document import Fact, StoredMemory
from parley.memory.text.token_counting import Counter

SHARE = 4
"""A team's block has one part in so many of `max_injection_tokens`, beside that of the person."""
_OPEN = "<team_memory>\nFacts that members of this chat told for all of them (today is {}):\n"
_CLOSE = "</team_memory>"


def team_block(ranked: Iterable[Fact], budget: int, counter: Counter, today: str) -> str:
    """Return the block of a team's facts, best first, within the budget; empty where there is none."""
    heading = _OPEN.format(today)
    left = budget - counter.count(heading) - counter.count(_CLOSE)
    lines = []
    for fact in ranked:
        line = team_line(fact)
        cost = counter.count(line) if line else left + 1
        if cost <= left:
            lines.append(line)
            left -= cost
    return f"{heading}{''.join(lines)}{_CLOSE}" if lines else ""


def withdraw_accounts(stored: StoredMemory, accounts: Collection[str], now: str) -> tuple[StoredMemory, int]:
    """Return the memory without what only these accounts said, and their names on what others said too.

    No earlier version is kept, as it would still have both.
    """
    said = [fact for fact in stored.document.facts if set(accounts) & set(fact.accounts)]
    if not said:
        return stored, 0
    gone = [fact for fact in said if set(fact.accounts) <= set(accounts)]
    left = forget_facts(stored, gone, now)
    facts = tuple(_without(fact, accounts) for fact in left.document.facts)
    document = replace(left.document, facts=facts, updated_at=now)
    return replace(left, document=document), len(said)


def _without(fact: Fact, accounts: Collection[str]) -> Fact:
    """Return a fact that others said too as theirs only; whose words it repeats is not told apart."""
    if not set(accounts) & set(fact.accounts):
        return fact
    others = tuple(account for account in fact.accounts if account not in accounts)
    return replace(fact, accounts=others, origin=NO_ORIGIN)
