"""The facts of a memory during a change, by id, by text and by similarity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parley.memory.edits.similarity import Similarity, compare, comparison_key, nearest_facts
from parley.memory.model.document import Category, Fact
from parley.memory.model.fact_ids import next_id
from parley.memory.search.index import FactIndex


class FactSet:
    """Mutable facts in the order in which they were learned.

    `index` finds similar ones; it may be of an earlier state of the same memory. Without it one is made when
    first needed.
    """

    def __init__(self, facts: Sequence[Fact], last_id: str, index: FactIndex | None = None) -> None:
        self._facts = {fact.id: fact for fact in facts}
        self._index = index
        self._indexed = tuple(facts)
        self._ids_by_text: dict[str, str] | None = None
        self._fresh: set[str] = set()
        self._used = set(self._facts)
        self.last_id = last_id

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Return the current facts."""
        return tuple(self._facts.values())

    def get(self, fact_id: str) -> Fact | None:
        """Return the fact of this id."""
        return self._facts.get(fact_id)

    def find_same(self, content: str) -> Fact | None:
        """Return the fact with the same words; width, case, whitespace and edges do not matter."""
        fact_id = self._texts().get(comparison_key(content))
        return self._facts.get(fact_id) if fact_id else None

    def find_similar(self, content: str) -> Iterable[tuple[Fact, Similarity]]:
        """Yield facts that may say the same, with how similar they are."""
        if self._index is None:
            self._index = FactIndex(self._indexed)
        for found, verdict in nearest_facts(self._index, content):
            now = self._facts.get(found.id)
            if now is not None and now.id not in self._fresh:
                yield now, verdict if now.content == found.content else compare(content, now.content)
        for fact_id in sorted(self._fresh & self._facts.keys()):
            now = self._facts[fact_id]
            yield now, compare(content, now.content)

    def find_contested(self, fact: Fact) -> list[Fact]:
        """Return the facts that this one may contradict: similar ones, and of an instruction all others."""
        if fact.category == Category.INSTRUCTION:
            return [old for old in self._facts.values() if old.category == Category.INSTRUCTION]
        return [old for old, _ in self.find_similar(fact.content)]

    def add(self, fact: Fact, fact_id: str = "") -> Fact:
        """Append a fact, under `fact_id` where that is free, else under a new id."""
        if not fact_id or fact_id in self._used:
            self.last_id = fact_id = next_id(self.last_id, self._used, fact.content + fact.created_at)
        named = replace(fact, id=fact_id)
        self._used.add(fact_id)
        self._fresh.add(fact_id)
        self._write(named)
        return named

    def replace(self, fact: Fact) -> None:
        """Replace the fact that has this one's id."""
        if fact != self._facts[fact.id]:
            if fact.content != self._facts[fact.id].content:
                self._forget_text(self._facts[fact.id])
                self._fresh.add(fact.id)
            self._write(fact)

    def remove(self, fact_id: str) -> None:
        """Remove a fact; an unknown id is no error."""
        fact = self._facts.pop(fact_id, None)
        if fact is not None:
            self._forget_text(fact)

    def _write(self, fact: Fact) -> None:
        self._facts[fact.id] = fact
        self._texts().setdefault(comparison_key(fact.content), fact.id)

    def _forget_text(self, fact: Fact) -> None:
        texts, text = self._texts(), comparison_key(fact.content)
        if texts.get(text) == fact.id:
            del texts[text]

    def _texts(self) -> dict[str, str]:
        if self._ids_by_text is None:
            self._ids_by_text = {}
            for fact in self._facts.values():
                self._ids_by_text.setdefault(comparison_key(fact.content), fact.id)
        return self._ids_by_text
