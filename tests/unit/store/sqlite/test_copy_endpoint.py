"""From one file to another."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from parley.core.model.errors import StoreUnavailable
from parley.store.sqlite.copy_endpoint import open_sqlite_endpoint
from tests.kit.store.nodes import Clock
from tests.unit.store.copy_suite import CopyPromises, Place, file_place, move


@pytest.fixture
def clock() -> Clock:
    return Clock(time.time())  # who is alive goes by the servers own clock


@pytest.fixture
def old(tmp_path: Path, clock: Clock) -> Place:
    return file_place(tmp_path, clock)


@pytest.fixture
def new(tmp_path: Path, clock: Clock) -> Place:
    return file_place(tmp_path, clock)


class TestFromFileToFile(CopyPromises):
    pass


async def test_a_source_that_is_not_there_is_not_made(tmp_path: Path, new: Place) -> None:
    old = Place(new.opened, lambda: open_sqlite_endpoint(tmp_path / "nowhere.db", new=False), new.fresh)
    with pytest.raises(StoreUnavailable, match="no such store"):
        await move(old, new)
    assert not (tmp_path / "nowhere.db").exists()
