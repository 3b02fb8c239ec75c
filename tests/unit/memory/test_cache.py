"""The cache of memories is bounded by a sum that is kept, not made anew for each person."""

from __future__ import annotations

import pytest

from parley.core.model.address import User, account_key
from parley.memory import cache
from parley.memory.cache import MemoryCache
from parley.memory.storage.sql import SqlMemoryStore
from tests.kit.doubles.kept_documents import KeptDocuments

MOST = 5


def _people(number: int) -> list[str]:
    return [account_key(User("test", f"u{each}")) for each in range(number)]


async def test_the_longest_unused_memories_go_and_the_sum_stays_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_FACTS", MOST * cache._EACH)
    kept = MemoryCache(SqlMemoryStore(KeptDocuments()), lambda fact: fact.content)
    people = _people(3 * MOST)
    for person in people:
        await kept.load_cached(person)
        await kept.load_cached(people[0])  # used all the time
    assert [person for person, _ in kept._known] == [*people[-MOST + 1 :], people[0]]
    kept.drop(people[-1])
    assert kept._room == sum(known.weight for known in kept._known.values()) == (MOST - 1) * cache._EACH
    assert kept._weights.keys() == kept._known.keys()
