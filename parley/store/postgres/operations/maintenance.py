"""Retention: a slice at a time."""

# ruff: noqa: S608  (built from the constants of this file and a checked schema name)

from __future__ import annotations

from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.retention import Retention

SLICE = 500
"""Rows of a kind removed in one operation, so that nobody waits long behind it."""

_DONE, _DEAD, _CANCELLED = 1, 2, 3


def prune_calls(schema: str, retention: Retention, now: float) -> tuple[SqlCall, ...]:
    """Remove a slice of each kind of what is past its time; each call returns how many rows."""
    s = schema
    items = f"""WITH gone AS (DELETE FROM {s}.items WHERE id IN (SELECT id FROM {s}.items WHERE state = %s
        AND ended_at < %s::float8 ORDER BY ended_at LIMIT %s) RETURNING 1) SELECT count(*) FROM gone"""
    names = f"""WITH gone AS (DELETE FROM {s}.names WHERE (queue, name) IN (SELECT queue, name
        FROM {s}.names WHERE put_at < %s::float8 ORDER BY put_at LIMIT %s FOR UPDATE SKIP LOCKED)
        RETURNING 1) SELECT count(*) FROM gone"""
    lanes = f"""WITH gone AS (DELETE FROM {s}.lanes WHERE (queue, lane) IN (SELECT queue, lane
        FROM {s}.lanes WHERE ready_at IS NULL AND node IS NULL LIMIT %s FOR UPDATE SKIP LOCKED)
        RETURNING 1) SELECT count(*) FROM gone"""
    nodes = f"""WITH gone AS (DELETE FROM {s}.nodes WHERE until < {s}.moment(NULL) AND until < %s::float8
        AND NOT EXISTS (SELECT 1 FROM {s}.lanes WHERE node = nodes.name) RETURNING 1)
        SELECT 0 * count(*) FROM gone"""
    tallies = f"""WITH gone AS (DELETE FROM {s}.tallies WHERE (name, node) IN (SELECT name, node
        FROM {s}.tallies WHERE until < %s::float8 ORDER BY until LIMIT %s FOR UPDATE SKIP LOCKED)
        RETURNING 1) SELECT count(*) FROM gone"""
    finished, named = now - retention.finished, now - retention.names
    return (
        SqlCall(items, (_DONE, finished, SLICE)),
        SqlCall(items, (_CANCELLED, finished, SLICE)),
        SqlCall(items, (_DEAD, now - retention.dead, SLICE)),
        SqlCall(names, (named, SLICE)),
        SqlCall(lanes, (SLICE,)),
        SqlCall(tallies, (now, SLICE)),
        SqlCall(nodes, (finished,)),
    )
