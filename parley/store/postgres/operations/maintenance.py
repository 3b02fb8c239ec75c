"""Retention: a slice at a time."""

# ruff: noqa: S608  (built from the constants of this file and a checked schema name)

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.store.nodes import GONE_LISTED
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.retention import DAY, Retention
from parley.store.rows import Row

log = logging.getLogger("parley.store")

SLICE = 500
"""Rows of a kind removed in one operation, so that nobody waits long behind it."""

_LANES = 2000
"""Lanes looked at in one operation."""

_LONGEST_IN_DAYS = 62 * DAY
"""Seconds for which rows may be kept that are in partitions by day: every lookup goes through all of them."""

_DONE, _DEAD, _CANCELLED = 1, 2, 3


def prune_calls(schema: str, retention: Retention, now: float) -> tuple[SqlCall, ...]:
    """Remove a slice of each kind of what is past its time; each call returns how many rows."""
    s = schema
    items = _slice_of(f"{s}.items", "state = %s AND ended_at < %s::float8 ORDER BY ended_at")
    names = _slice_of(f"{s}.names", "put_at < %s::float8 ORDER BY put_at")
    nodes = f"""WITH gone AS (DELETE FROM {s}.nodes WHERE until < least({s}.moment(NULL), %s::float8)
        AND NOT EXISTS (SELECT 1 FROM {s}.lanes WHERE node = nodes.name) RETURNING 1)
        SELECT 0 * count(*) FROM gone"""
    tallies = _slice_of(f"{s}.tallies", "until < %s::float8 ORDER BY until")
    dropped = f"SELECT {s}.drop_days(%s, %s::float8, %s::bigint)"
    finished, named = now - retention.finished, now - retention.names
    return (
        SqlCall(dropped, ("items", finished, SLICE)),
        SqlCall(dropped, ("names", named, SLICE)),
        SqlCall(items, (_DONE, finished, SLICE)),
        SqlCall(items, (_CANCELLED, finished, SLICE)),
        SqlCall(items, (_DEAD, now - retention.dead, SLICE)),
        SqlCall(names, (named, SLICE)),
        SqlCall(tallies, (now, SLICE)),
        SqlCall(nodes, (now - GONE_LISTED,)),
    )


async def prune_store(
    schema: str, write: Callable[[SqlCall], Awaitable[list[Row]]], retention: Retention, now: float
) -> int:
    """Remove what is past its time, a slice at a time; returns how many rows. Raises StoreUnavailable."""
    for kind, kept in (("items", retention.finished), ("names", retention.names)):
        if kept <= _LONGEST_IN_DAYS:
            await write(SqlCall(f"SELECT {schema}.make_days(%s)", (kind,)))
    calls, removed, total = prune_calls(schema, retention, now), [SLICE], 0
    while SLICE in removed:
        removed = [int((await write(call))[0][0]) for call in calls]
        total += sum(removed)
    last = Row(("", ""))
    while last[0] is not None:
        row = (await write(_prune_lanes_call(schema, *last)))[0]
        total, last = total + int(row[0]), row[1:]
    return total


async def prune_often(prune: Callable[[], Awaitable[int]], pause: float) -> None:
    """Remove what is past its time, again and again, until cancelled."""
    while True:
        try:
            await prune()
        except StoreUnavailable as error:
            log_store_failure(log.warning, "old rows stay for now: %s", error)
        await asyncio.sleep(pause)


def _prune_lanes_call(schema: str, queue: str, lane: str) -> SqlCall:
    """Remove the empty ones of the lanes after one; returns how many, and the last one looked at."""
    return SqlCall(f"SELECT * FROM {schema}.prune_lanes(%s, %s, %s::bigint)", (queue, lane, _LANES))


def _slice_of(table: str, over: str) -> str:
    """Return a statement that removes a slice of the rows that are over, and counts them.

    By their places in the table: by their keys the server may read all of it, once for each slice.
    """
    return f"""WITH gone AS (DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table}
        WHERE {over} LIMIT %s FOR UPDATE SKIP LOCKED)) RETURNING 1) SELECT count(*) FROM gone"""
