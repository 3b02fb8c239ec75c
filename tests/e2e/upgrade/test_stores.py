"""A store of each earlier schema is opened, and what was in it goes on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from parley.store.sqlite.database.schema import STEPS
from tests.e2e.upgrade.earlier import CONFIG, assert_everything_goes_on, load_sqlite, recorded
from tests.kit.product.scene import begin, end


def test_there_is_a_dump_of_every_earlier_schema() -> None:
    """Record one of the schema before, as `earlier.py` says, when you add a step."""
    assert recorded("sqlite") == set(range(1, len(STEPS)))


@pytest.mark.journeys
@pytest.mark.timeout(200)
@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_a_store_of_an_earlier_schema_goes_on(tmp_path: Path, version: int) -> None:
    for name in ("parley", "agent"):
        load_sqlite(tmp_path / "data" / f"{name}.db", f"sqlite-{version}.{name}.sql")
    process = begin(tmp_path, {**CONFIG, "store": {}})
    try:
        assert_everything_goes_on(process)
    finally:
        end(process)
    opened = sqlite3.connect(tmp_path / "data" / "parley.db")
    assert opened.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone() == (len(STEPS),)
    opened.close()
