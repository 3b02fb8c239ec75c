"""Memories that live in a dictionary, for what stands in front of them: the API, its client, the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json
from parley.core.ports.memory.admin import (
    FactChange,
    FactEdit,
    FailedTurn,
    FailedTurnPage,
    InvalidMemory,
    MemoryHealth,
    UnknownCategory,
)
from parley.core.ports.memory.port import FactView, MemoryView
from parley.memory.model.vocabulary import CATEGORIES, TOPICS

OWN = "web:local"
AT = "2026-11-20T09:30:00.000000Z"
CONFIG: Mapping[str, Json] = {
    "enabled": True,
    "injection_enabled": True,
    "storage": "files",
    "storage_path": "memory",
    "groups": "separate",
    "per_assistant": False,
    "debounce_seconds": 30.0,
    "max_wait": 120.0,
    "max_facts": 1000,
    "fact_confidence_threshold": 0.7,
    "max_injection_tokens": 2000,
    "token_counting": "tiktoken",
    "ranking": "relevance",
    "similarity_weight": 0.6,
    "confidence_weight": 0.4,
    "categories": list(CATEGORIES),
    "topics": list(TOPICS),
}

Document = dict[str, Any]
"""A memory as JSON that the tests read by key."""


def empty() -> Document:
    """A memory of nothing."""
    blank = {"summary": "", "updatedAt": ""}
    return {
        "version": "1.0",
        "lastUpdated": "",
        "user": {name: dict(blank) for name in ("workContext", "personalContext", "topOfMind")},
        "history": {name: dict(blank) for name in ("recentMonths", "earlierContext", "longTermBackground")},
        "facts": [],
    }


def fact(number: int, content: str, category: str = "context", confidence: float = 0.9) -> Document:
    """An entry of a memory."""
    return {
        "id": f"fact_{number:08x}",
        "content": content,
        "category": category,
        "confidence": confidence,
        "createdAt": AT,
        "source": "thread-1",
    }


def view_of(entry: Document) -> FactView:
    """An entry as the port gives it."""
    return FactView(
        entry["id"], entry["content"], entry["category"], entry["confidence"], AT, entry["source"]
    )


@dataclass
class Memories:
    """Everybody's memory. `away` makes every look at it fail, as a disk that is full does."""

    config: Mapping[str, Json] = field(default_factory=lambda: CONFIG)
    documents: dict[str, Document] = field(default_factory=dict)
    states: dict[str, MemoryView] = field(default_factory=dict)
    letters: list[FailedTurn] = field(default_factory=list)
    reloaded: list[str] = field(default_factory=list)
    away: bool = False

    def off(self) -> Memories:
        """The same, where the configuration says that nobody is remembered."""
        self.config = {**self.config, "enabled": False}
        return self

    def of(self, person: str) -> Document:
        """Whose memory it is, to be changed in place."""
        if self.away:
            raise MemoryFailed("The disk is full.")
        return self.documents.setdefault(person, empty())

    def facts(self, person: str = OWN) -> list[str]:
        """What is remembered."""
        return [str(entry["content"]) for entry in self.of(person)["facts"]]

    async def own(self) -> str:
        return OWN

    async def health(self) -> MemoryHealth:
        return MemoryHealth(len(self.documents), 0, len(self.letters), "rules", "")

    async def people(self, after: str, limit: int) -> Sequence[str]:
        return [person for person in sorted(self.documents) if person > after][:limit]

    async def overview(self, person: str) -> MemoryView:
        return self.states.get(person, MemoryView(on=True))

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        wanted = words.casefold().split()
        entries = self.of(person)["facts"]
        return [
            view_of(entry)
            for entry in entries
            if wanted and all(word in f"{entry['content']} {entry['category']}".casefold() for word in wanted)
        ]

    async def switch(self, person: str, on: bool) -> None:
        self.states[person] = replace(await self.overview(person), on=on)

    def _check(self, category: str) -> None:
        names = self.config["categories"]
        if isinstance(names, list) and category not in names:
            raise UnknownCategory(map(str, names))

    async def export(self, person: str) -> str:
        return json.dumps(self.of(person), ensure_ascii=False)

    async def reload(self, person: str) -> str:
        self.reloaded.append(person)
        return await self.export(person)

    async def create(self, person: str, content: str, category: str, confidence: float) -> FactEdit:
        self._check(category or "context")
        facts = self.of(person)["facts"]
        for entry in facts:
            if entry["content"].casefold() == content.casefold():
                return FactEdit(view_of(entry), known=True)
        entry = {
            "id": f"fact_{len(facts) + 100:08x}",
            "createdAt": AT,
            "source": "manual",
            "content": content,
            "category": category or "context",
            "confidence": confidence,
        }
        facts.append(entry)
        return FactEdit(view_of(entry))

    async def patch(self, person: str, fact_id: str, change: FactChange) -> FactEdit:
        facts = self.of(person)["facts"]
        for entry in facts:
            if entry["id"] != fact_id and entry["content"] == change.content:
                return FactEdit(view_of(entry), known=True)
        for entry in facts:
            if entry["id"] == fact_id:
                self._check(change.category or entry["category"])
                given = {name: value for name, value in asdict(change).items() if value is not None}
                entry.update(given, source="manual")
                return FactEdit(view_of(entry))
        return FactEdit(None)

    async def delete(self, person: str, fact_id: str) -> bool:
        memory = self.of(person)
        left = [entry for entry in memory["facts"] if entry["id"] != fact_id]
        gone = len(left) < len(memory["facts"])
        memory["facts"] = left
        return gone

    async def replace(self, person: str, text: str) -> int:
        given = json.loads(text)
        if any("content" not in entry for entry in given.get("facts", [])):
            raise InvalidMemory("There is no fact that can be read in this memory.")
        self.documents[person] = empty() | given
        return len(self.facts(person))

    async def clear(self, person: str) -> int:
        return len(self.documents.pop(person, empty())["facts"])

    async def failed_turns(self, limit: int = 100, after: str = "") -> FailedTurnPage:
        """An `after` is the place of the next letter."""
        end = int(after or 0) + limit
        more = end < len(self.letters)
        return FailedTurnPage(tuple(self.letters[int(after or 0) : end]), str(end) if more else "")

    async def retry(self, item: int) -> bool:
        left = [letter for letter in self.letters if letter.item != item]
        found = len(left) < len(self.letters)
        self.letters = left
        return found
