"""Two SQLite files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.store.sharded.suite import ShardedPromises


@pytest.fixture
def addresses(tmp_path: Path) -> Sequence[str]:
    return [str(tmp_path / f"{number}.db") for number in range(2)]


class TestTwoFiles(ShardedPromises):
    pass
