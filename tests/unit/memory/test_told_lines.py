"""What the agent was told is noted in the background, whatever becomes of the turn that told it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Document
from parley.core.ports.lease import LeaseToken, holding_lease, require_lease
from parley.memory.told_lines import ToldLines, line_digest
from parley.store.sqlite import SqliteStore


class LeasedStore(SqliteStore):
    """Writes for who holds a lease only, as the store of several nodes does."""

    async def set(self, document: Document) -> Document:
        require_lease()
        return await super().set(document)


async def test_it_is_noted_also_where_the_lease_of_the_turn_is_over(tmp_path: Path) -> None:
    over = LeaseToken(4.0, 0.0, lambda: 100.0)
    async with LeasedStore.open(tmp_path / "db") as store:
        lines = ToldLines(store)
        with holding_lease(over):
            with pytest.raises(LaneLost):
                require_lease()
            lines.note("ann", "thread", "- She likes tea\n")
        told = await lines.get("ann", "thread")
    assert told is not None
    assert told.lines == (line_digest("- She likes tea"),)
