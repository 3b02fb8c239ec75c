"""Two databases of PostgreSQL, among which conversations are dealt by bucket."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from tests.unit.store.sharded.suite import ShardedPromises

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]


@pytest.fixture
def addresses(cluster: Cluster, schema: str) -> Sequence[str]:
    names = [f"{schema}_{number}" for number in range(2)]
    with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
        for name in names:
            admin.execute(f"CREATE DATABASE {name}".encode())
    return [cluster.url_of("postgres", "secret", name) for name in names]


class TestTwoDatabases(ShardedPromises):
    pass
