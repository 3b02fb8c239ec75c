"""No statement reads more rows the more there are, whatever the server believes of its tables."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.usage import Usage
from parley.core.ports.journal import NEWEST_DEAD, Claim, CounterIncrement, Document, NewQueueItem
from parley.store.postgres import PostgresStore
from tests.postgres.store.query_plans import PlanRecorder, recorded_store

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

MANY = 5_000
FEW = 60
"""Rows of a table that a statement may read: what it was asked for, and a few beside it."""

_FILL = (
    """INSERT INTO documents SELECT 'thread/c:' || lpad(n::text, 6, '0'), '{}', n
        FROM generate_series(1, %(n)s) n""",
    """INSERT INTO documents SELECT 'feedback/test:' || n || '/t', '{"at":' || n || '}', n
        FROM generate_series(1, %(n)s) n""",
    "INSERT INTO names SELECT 'in', 'name-' || n, %(now)s FROM generate_series(1, %(n)s) n",
    """INSERT INTO tallies SELECT 'day:' || n, 'a', %(now)s + 1000, 1, 1, 1, 1, 1, 1
        FROM generate_series(1, %(n)s) n""",
    """INSERT INTO lanes (queue, lane, ready_at) SELECT 'in', 'c:' || n, %(now)s - n / 1000.0
        FROM generate_series(1, %(n)s) n""",
    """INSERT INTO items (queue, lane, slot, put_at, first_at, run_at, body) SELECT 'in', 'c:' || n,
        CASE n %% 2 WHEN 0 THEN 'last' ELSE '' END, %(now)s, %(now)s, %(now)s - n / 1000.0, 'body'
        FROM generate_series(1, %(n)s) n""",
    """INSERT INTO items (queue, lane, slot, state, put_at, first_at, run_at, ended_at, body)
        SELECT 'in', 'c:' || n, '', 1 + n %% 3, %(now)s, %(now)s, %(now)s, %(now)s - n, 'body'
        FROM generate_series(1, %(n)s) n""",
    """INSERT INTO ended_items SELECT i.*, d.day FROM items i, days d WHERE i.state = 1 AND d.kind = 'items'
        AND (i.id %% 3 = 0) = (d.day %% 2 = 0)""",
    """INSERT INTO ended_subjects SELECT n, id, day FROM ended_items, generate_series(1, 2) n""",
    """INSERT INTO dated_names SELECT 'in', 'dated-' || day || '-' || n, %(now)s, NULL, day
        FROM days, generate_series(1, %(n)s) n WHERE kind = 'names'""",
    # Held by another node that lives.
    "INSERT INTO nodes (name, until) VALUES ('b', %(now)s + 1000)",
    """INSERT INTO lanes (queue, lane, node, epoch) SELECT 'in', 'held:' || n, 'b', 1
        FROM generate_series(1, %(n)s) n""",
)

Verb: TypeAlias = Callable[[PostgresStore, Claim], Awaitable[object]]


def _tally(name: str) -> CounterIncrement:
    return CounterIncrement(name, time.time() + 1000, Usage(turns=1), most=100)


async def _dead_pages(store: PostgresStore, claim: Claim) -> None:
    before = NEWEST_DEAD
    for _ in range(3):
        page = await store.dead(10, before)
        assert len(page) == 10
        before = (page[-1].ended_at - 100, page[-1].id)


async def _dead_beside(store: PostgresStore, claim: Claim) -> None:
    assert len(await store.dead_beside(await _last_dead(store))) == 1


async def _last_dead(store: PostgresStore) -> int:
    return (await store.dead(1))[0].id


async def _revive(store: PostgresStore, claim: Claim) -> None:
    assert await store.revive(await _last_dead(store))


async def _discard(store: PostgresStore, claim: Claim) -> None:
    assert await store.discard(await _last_dead(store))


async def _set(store: PostgresStore, claim: Claim) -> None:
    await store.set(await store.get("thread/c:000077"))
    await store.set(Document("thread/new", "{}", 0))


async def _page(store: PostgresStore, claim: Claim) -> None:
    for after in ("", "thread/c:002500", "thread/c:004990"):
        assert await store.list("thread/", 10, after)


async def _feedback_pages(store: PostgresStore, claim: Claim) -> None:
    for at, since in ((math.inf, 0.0), (MANY / 2, 0.0), (9.0, 0.0), (math.inf, MANY - 5.0), (0.0, 0.0)):
        page = await store.feedback_before((at, ""), since, 10)
        assert len(page) == {9.0: 8, 0.0: 0}.get(at, 6 if since else 10)


VERBS: dict[str, Verb] = {
    "put": lambda s, c: s.put(NewQueueItem("in", "c:9", "b", dedupe="one"), NewQueueItem("in", "new", "b")),
    "put a known name": lambda s, c: s.put(NewQueueItem("in", "c:9", "b", dedupe="name-7")),
    "replace in a slot": lambda s, c: s.put(NewQueueItem("in", "c:10", "b", slot="last")),
    "claim": lambda s, c: s.claim("in", 10),
    "claim where there is nothing": lambda s, c: s.claim("other", 10),
    "wait": lambda s, c: s.wait("in", 0.01),
    "waiting": lambda s, c: s.waiting("in", "c:12"),
    "note": lambda s, c: s.note(c, c.items[0].id, "a note"),
    "set trials": lambda s, c: s.set_trials(c, 1),
    "done": lambda s, c: s.done(
        c,
        c.items,
        note="at the end",
        puts=[NewQueueItem("after", "x", "b", dedupe="two")],
        documents=[Document("made/1", "{}", 0)],
        tallies=[_tally("day:9")],
    ),
    "release": lambda s, c: s.release(c),
    "retry": lambda s, c: s.retry(c, 1.0),
    "bury": lambda s, c: s.bury(c, c.items, "no reason"),
    "cancel": lambda s, c: s.cancel("in", "c:14", 1_000_000_000),
    "withdraw": lambda s, c: s.withdraw("in", "c:16", 16),
    "get": lambda s, c: s.get("thread/c:000042"),
    "get several": lambda s, c: s.get_all([f"thread/c:{n:06}" for n in range(1, 1000, 100)]),
    "set": _set,
    "a page of documents": _page,
    "pages of feedback": _feedback_pages,
    "delete": lambda s, c: s.delete("thread/c:000078"),
    "tally": lambda s, c: s.tally([_tally("day:5"), _tally("day:none")], once="three"),
    "counted": lambda s, c: s.counted(["day:1", "day:2", "day:none"]),
    "uncount": lambda s, c: s.uncount(["day:499", "day:3333"]),
    "the newest items": lambda s, c: s.lanes_before(4_000, 10),
    "dead": _dead_pages,
    "dead beside": _dead_beside,
    "count what waits": lambda s, c: s.count_waiting("in", 20),
    "count where nothing waits": lambda s, c: s.count_waiting("other", 20),
    "revive": _revive,
    "discard": _discard,
    "remove": lambda s, c: s.remove([20, 21, MANY + 22]),
    "renew": lambda s, c: s.renew(),
    "nodes": lambda s, c: s.nodes.list_nodes("nobody"),
}


@pytest.fixture(params=["made when the tables were empty", "never made", "true"])
async def full(
    request: pytest.FixtureRequest, cluster: Cluster, schema: str
) -> AsyncIterator[tuple[PostgresStore, PlanRecorder]]:
    """A store with many rows, whose statistics are as the parameter says."""
    async with recorded_store(cluster.url, schema) as (store, recorder):
        with psycopg.connect(cluster.url, autocommit=True) as admin:
            admin.execute(f"SET search_path TO {schema}".encode())
            for table in ("documents", "feedback_times", "items", "lanes", "names", "tallies"):
                admin.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)".encode())
            if request.param.startswith("made"):
                await store.put(NewQueueItem("in", "first", "body"))
                (claim,) = await store.claim("in", 1)
                await store.done(claim, claim.items)
                admin.execute("ANALYZE")
            for statement in _FILL:
                admin.execute(statement.encode(), {"n": MANY, "now": time.time()})
            if request.param == "true":
                admin.execute("ANALYZE")
        yield store, recorder


async def test_no_statement_reads_more_than_it_needs(full: tuple[PostgresStore, PlanRecorder]) -> None:
    store, recorder = full
    wide = {}
    for name, verb in VERBS.items():
        (claim,) = await store.claim("in", 1)
        recorder.clear()
        await verb(store, claim)
        if recorder.most() > FEW:
            wide[name] = dict(recorder.rows)
        assert recorder.plans, name
        await store.release(claim)
    assert not wide


async def test_what_is_over_goes_in_slices(full: tuple[PostgresStore, PlanRecorder]) -> None:
    store, recorder = full
    recorder.clear()
    await store.prune(time.time() + 30 * 24 * 3600)
    statements = [plan for plan in recorder.plans if "DELETE FROM" in plan]
    assert recorder.most() < 8 * MANY  # each row a few times, not once for each slice of those before it
    assert len(statements) > 10
