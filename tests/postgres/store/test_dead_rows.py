"""What changes stays on its page, so that no index is written for it and its dead versions go soon."""

from __future__ import annotations

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.ports.journal import NewQueueItem
from tests.kit.store_nodes import OpenNode
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

ITEMS = 200
NOTES = 3
BODY = "what somebody said " * 30


async def test_most_notes_of_items_are_written_in_place(
    cluster: Cluster, schema: str, open_node: OpenNode
) -> None:
    async with open_node("a", "main") as store:
        await store.put(*(NewQueueItem("in", f"lane {number}", BODY) for number in range(ITEMS)))
        claims = await store.claim("in", ITEMS)
        for note in range(1, NOTES + 1):
            # One after the other, as turns go: not all in one transaction.
            for claim in claims:
                await store.note(claim, claim.items[0].id, "done so far " * 10 * note)
        with psycopg.connect(cluster.url, autocommit=True) as look:

            def changed() -> tuple[int, int]:
                row = look.execute(
                    "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables"
                    " WHERE schemaname = %s AND relname = 'items'",
                    (f"{schema}_main",),
                ).fetchone()
                return row or (0, 0)

            await until(lambda: changed()[0] >= ITEMS * NOTES, "the server has counted them")
            updates, in_place = changed()
        assert in_place > updates * 0.8
