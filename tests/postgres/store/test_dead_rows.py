"""What changes stays on its page, so that no index is written for it and its dead versions go soon."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.ports.journal import NewQueueItem
from parley.store.postgres import PostgresStore
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

ITEMS = 200
NOTES = 3
BODY = "what somebody said " * 30
_DATABASE = "dead_rows"
_POSTGRES_14 = 140_000
_HOLDERS = """SELECT backend_type, state, age(backend_xmin), left(query, 60) FROM pg_stat_activity
    WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()"""


@pytest.fixture
def admin(cluster: Cluster, no_vacuum: None) -> Iterator[psycopg.Connection]:
    """A session in a database of its own, where nothing else runs.

    Whoever has a snapshot there, as an ANALYZE of autovacuum has, keeps every version that died since: then
    pages fill up, and of 600 notes about 360 are written in place. Since PostgreSQL 14 other databases do not
    matter.
    """
    with psycopg.connect(cluster.url, autocommit=True) as outside:
        outside.execute(f"CREATE DATABASE {_DATABASE}")
    with psycopg.connect(_url(cluster), autocommit=True) as inside:
        yield inside


def _url(cluster: Cluster) -> str:
    return cluster.url_of("postgres", "secret", _DATABASE)


async def test_most_notes_of_items_are_written_in_place(cluster: Cluster, admin: psycopg.Connection) -> None:
    holders = set[object]()
    with psycopg.connect(cluster.url) as elsewhere:
        elsewhere.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        if elsewhere.info.server_version >= _POSTGRES_14:
            elsewhere.execute("SELECT 1")  # its snapshot stands until the end
        async with PostgresStore.open(_url(cluster), node="a") as store:
            await store.put(*(NewQueueItem("in", f"lane {number}", BODY) for number in range(ITEMS)))
            claims = await store.claim("in", ITEMS)
            for note in range(1, NOTES + 1):
                # One after the other, as turns go: not all in one transaction.
                for number, claim in enumerate(claims):
                    await store.note(claim, claim.items[0].id, "done so far " * 10 * note)
                    if number % 20 == 0:
                        holders.update(admin.execute(_HOLDERS).fetchall())

    def changed() -> tuple[int, int]:
        row = admin.execute(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables"
            " WHERE schemaname = 'parley' AND relname = 'items'"
        ).fetchone()
        return row or (0, 0)

    await until(lambda: changed()[0] >= ITEMS * NOTES, "the server has counted them")
    updates, in_place = changed()
    assert in_place > updates * 0.9, f"{in_place} of {updates}; snapshots meanwhile: {holders}"
