"""One search for chat and page: what is about the words, and what has them in part."""

from __future__ import annotations

import pytest

from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore

FACTS = ("User likes green tea", "User hates coffee", "User moved to Hamburg", "User plays chess on Sundays")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("drinks", {FACTS[0], FACTS[1]}),
        ("hamb", {FACTS[2]}),
        ("HAMBURG", {FACTS[2]}),
        ("context", set(FACTS)),
        ("submarine", set()),
        ("  ", set()),
    ],
)
async def test_chat_and_operators_find_the_same(tmp_path, words, found):
    async with SqliteStore.open(tmp_path / "db") as journal:
        store = FileMemoryStore(tmp_path / "memory")
        service = MemoryService(store, journal, RuleExtractor(), MemoryOptions())
        for content in FACTS:
            await service.add("ann", content)
        in_chat = await service.search("ann", words)
        assert {fact.content for fact in in_chat} == found
        assert await service.admin.search("ann", words) == in_chat
