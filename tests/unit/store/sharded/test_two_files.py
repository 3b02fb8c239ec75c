"""Two SQLite files: what they promise together, and every promise of the store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from tests.kit.store.nodes import LEASE, Clock, OpenNode
from tests.unit.store.engine.suite import EngineSuite
from tests.unit.store.sharded.databases import prepare
from tests.unit.store.sharded.sharded_store import ShardedStore
from tests.unit.store.sharded.suite import ShardedPromises


@pytest.fixture
def addresses(tmp_path: Path) -> Sequence[str]:
    return [str(tmp_path / f"{number}.db") for number in range(2)]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_node(tmp_path: Path, clock: Clock) -> OpenNode:
    @asynccontextmanager
    async def open_(node: str, database: str) -> AsyncIterator[Store]:
        paths = [tmp_path / f"{database}-{number}.db" for number in range(2)]
        if not paths[0].exists():
            await prepare([str(path) for path in paths])
        async with AsyncExitStack() as opened:
            stores = [
                await opened.enter_async_context(
                    SqliteStore.open(path, node=node, exclusive=False, lease=LEASE, clock=clock)
                )
                for path in paths
            ]
            yield await opened.enter_async_context(ShardedStore.over(stores))

    return open_


class TestTwoFiles(ShardedPromises):
    pass


class TestTwoFilesAsOneStore(EngineSuite):
    """The suite's queues are of no conversation; some of its documents are of one."""
