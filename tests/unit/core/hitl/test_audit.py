"""The record of questions and decisions: in order of time, and only as old as it may be."""

from __future__ import annotations

from pathlib import Path

from parley.core.hitl import audit
from parley.store.sqlite import SqliteStore


async def test_it_is_read_in_order_of_time_and_from_a_time_on(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        for at in (30.0, 10.0, 20.0):
            await store.set(audit.ended_document(f"turn {at}", "test:chat", "answered", at))
        assert [each.at async for each in audit.list_entries(store)] == [10.0, 20.0, 30.0]
        assert [each.at async for each in audit.list_entries(store, 15.0)] == [20.0, 30.0]


async def test_what_is_too_old_goes(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        for at in (10.0, 20.0, 30.0):
            await store.set(audit.ended_document(f"turn {at}", "test:chat", "answered", at))
        assert await audit.delete_before(store, 25.0) == 2
        assert [each.at async for each in audit.list_entries(store)] == [30.0]
        assert await audit.delete_before(store, 25.0) == 0
