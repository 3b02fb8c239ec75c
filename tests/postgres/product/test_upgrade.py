"""A database of each earlier schema is opened, and what was in it goes on."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres.database.schema import STEPS
from tests.e2e.upgrade.earlier import CONFIG, STORES, assert_everything_goes_on, load_sqlite, recorded
from tests.kit.product.scene import begin, end

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(200)]

_NEVER_ALONE = {2}
"""Two steps came in one commit."""


def test_there_is_a_dump_of_every_earlier_schema() -> None:
    assert recorded("postgres") == set(range(1, len(STEPS))) - _NEVER_ALONE


@pytest.mark.parametrize("version", sorted(set(range(1, len(STEPS))) - _NEVER_ALONE))
def test_a_database_of_an_earlier_schema_goes_on(cluster: Cluster, tmp_path: Path, version: int) -> None:
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE earlier{version}")
    url = cluster.url_of("postgres", "secret", f"earlier{version}")
    with psycopg.connect(url) as connection:
        connection.execute((STORES / f"postgres-{version}.parley.sql").read_bytes())
    load_sqlite(tmp_path / "data" / "agent.db", f"postgres-{version}.agent.sql")
    process = begin(tmp_path, {**CONFIG, "store": {"url": url}})
    try:
        assert_everything_goes_on(process)
    finally:
        end(process)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT schema_version FROM parley.meta").fetchone() == (len(STEPS),)
