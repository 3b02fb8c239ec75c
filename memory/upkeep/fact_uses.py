"""Which facts answers used: counted in this process, and written with the day's upkeep (pure but for counts).

A fact counts as used where it was told for a turn, and the answer has words of it that the person had not
said themselves. What is counted since the last upkeep is lost with the process: it only orders equal facts.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from parley.memory.edits.distinctive_terms import distinctive_terms
from parley.memory.model.document import MOST_USES, Fact, StoredMemory
from parley.memory.told_lines import line_digest

_MOST_PEOPLE, _MOST_LINES = 10_000, 300
_MOST_READ = 4_000
_SHARED = 2


class FactUses:
    """Uses since the last upkeep, by person and line of a fact."""

    def __init__(self) -> None:
        self._people: OrderedDict[str, Counter[str]] = OrderedDict()

    def count(self, person: str, lines: Iterable[str]) -> None:
        """Count one use of the facts with these lines, as `used_lines` returns them."""
        found = self._people.setdefault(person, Counter())
        found.update(line for line in lines if line in found or len(found) < _MOST_LINES)
        self._people.move_to_end(person)
        if len(self._people) > _MOST_PEOPLE:
            self._people.popitem(last=False)

    def take(self, person: str) -> Mapping[str, int]:
        """Return what was counted of a person, and begin anew."""
        return self._people.pop(person, Counter())


def used_lines(lines: Iterable[str], said: str, reply: str) -> list[str]:
    """Return digests of the lines, told for a turn, that its answer used."""
    own = distinctive_terms(reply[:_MOST_READ]) - distinctive_terms(said[:_MOST_READ])
    return [line_digest(line) for line in lines if _is_used(line, own)]


def _is_used(line: str, own: frozenset[str]) -> bool:
    words = frozenset(term for term in distinctive_terms(line) if not term[0].isdigit())
    return len(words & own) >= min(_SHARED, max(len(words), 1))


def add_uses(stored: StoredMemory, uses: Mapping[str, int], line: Callable[[Fact], str]) -> StoredMemory:
    """Return the memory with these uses added; nothing to undo, as no text changes."""
    if not uses:
        return stored
    facts = tuple(_used(fact, uses.get(line_digest(line(fact)), 0)) for fact in stored.document.facts)
    if facts == stored.document.facts:
        return stored
    return replace(stored, document=replace(stored.document, facts=facts))


def _used(fact: Fact, more: int) -> Fact:
    return replace(fact, uses=min(MOST_USES, fact.uses + more)) if more and fact.uses < MOST_USES else fact
