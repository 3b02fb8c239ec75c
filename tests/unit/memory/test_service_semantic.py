"""Closeness in meaning, where it is wanted: it changes the order, and what is forgotten leaves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from parley.core.ports.memory.port import RecallQuery
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.model.document import Fact
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.samples.memory_options import memory_options


class Meaning:
    """Knows that everything about animals is close to whatever is said."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []

    def score(self, key: str, messages: Sequence[str], facts: Sequence[Fact]) -> Sequence[float]:
        return [1.0 if "cat" in fact.content else 0.0 for fact in facts]

    def forget(self, key: str) -> None:
        self.forgotten.append(key)

    def close(self) -> None:
        self.forgotten.append("closed")


def occasion(text: str) -> RecallQuery:
    return RecallQuery("ann", "agent", "thread", (text,), private=True)


async def test_it_puts_what_is_meant_first(tmp_path: Path):
    async with SqliteStore.open(tmp_path / "parley.db") as journal:
        options = memory_options(max_injection_tokens=100)
        for meaning, first in ((None, "parking"), (Meaning(), "cat")):
            store = FileMemoryStore(tmp_path / "memory")
            service = MemoryService(store, journal, RuleExtractor(), options, semantic=meaning)
            await service.add("ann", "Has a parking place at the office")
            await service.add("ann", "Her cat is called Mia")
            block = await service.recall(occasion("Is there parking for my pet?"))
            facts = [line for line in block.splitlines() if line.startswith("- ")]
            assert first in facts[0]


async def test_what_is_forgotten_leaves_no_vectors(tmp_path: Path):
    async with SqliteStore.open(tmp_path / "parley.db") as journal:
        meaning = Meaning()
        store = FileMemoryStore(tmp_path / "memory")
        async with MemoryService(
            store, journal, RuleExtractor(), memory_options(), semantic=meaning
        ).running() as service:
            await service.add("ann", "Her cat is called Mia")
            await service.forget("ann", "nothing like it")
            assert not meaning.forgotten
            await service.forget("ann", "cat is called Mia")
            assert meaning.forgotten == ["ann"]
            await service.clear("ann")
            await service.merge("bob", "ann")
    assert meaning.forgotten == ["ann", "ann", "bob", "closed"]
