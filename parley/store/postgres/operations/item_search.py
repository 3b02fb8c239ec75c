"""All items, looked through a slice at a time, and removed for good; see core.ports.store_admin."""

# ruff: noqa: S608  (built from the constants of this file and a checked schema name)

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.rows import Row

SLICE = 2000
"""Items looked at in one query, so that nobody waits long behind it."""

_ITEM = "id, queue, lane, body, note, attempts, version, put_at"


def last_call(schema: str, after: int) -> SqlCall:
    """Return the id that ends the next slice; NULL where there is none."""
    return SqlCall(f"SELECT {schema}.end_of_page(%s::bigint, %s::bigint)", (after, SLICE))


def lanes_before_call(schema: str, item: int, limit: int) -> SqlCall:
    """Return the newest items below an id."""
    return SqlCall(f"SELECT * FROM {schema}.newest_items(%s::bigint, %s::bigint)", (item, limit))


def search_call(
    schema: str, words: Sequence[str], lanes: Sequence[str], after: int, last: int, now: float | None
) -> SqlCall:
    """Return what has one of `words` in its body, or is in one of `lanes`, and whether its lane is held."""
    statement = f"""SELECT {_ITEM}, state, reason, {_held(schema)} FROM {schema}.all_items i
        WHERE id > %s::bigint AND id <= %s::bigint
        AND (i.lane = ANY (%s::text[])
        OR EXISTS (SELECT 1 FROM unnest(%s::text[]) AS word WHERE strpos(i.body, word) > 0)) ORDER BY id"""
    return SqlCall(statement, (now, after, last, list(lanes), list(words)))


def select_call(
    schema: str, words: Sequence[str], lanes: Sequence[str], items: Sequence[int], now: float | None
) -> SqlCall:
    """Return the same of these items alone."""
    statement = f"""SELECT {_ITEM}, state, reason, {_held(schema)} FROM {schema}.all_items i
        WHERE id = ANY (%s::bigint[]) AND (i.lane = ANY (%s::text[])
        OR EXISTS (SELECT 1 FROM unnest(%s::text[]) AS word WHERE strpos(i.body, word) > 0)) ORDER BY id"""
    return SqlCall(statement, (now, list(items), list(lanes), list(words)))


def remove_call(schema: str, items: Sequence[int], now: float | None) -> SqlCall:
    """Remove items that nobody works just now; what is gone, with its lane and its state."""
    statement = f"""DELETE FROM {schema}.items i WHERE id = ANY (%s::bigint[])
        AND NOT (state = 0 AND note <> '' AND {_held(schema)}) RETURNING id, queue, lane, state"""
    return SqlCall(statement, (list(items), now))


def remove_ended_call(schema: str, items: Sequence[int]) -> SqlCall:
    """Remove those of them that are done. A statement later: one may be done just now."""
    statement = f"""DELETE FROM {schema}.ended_items WHERE id = ANY (%s::bigint[])
        RETURNING id, queue, lane, state"""
    return SqlCall(statement, (list(items),))


def refresh_call(schema: str, queue: str, lane: str) -> SqlCall:
    """Let a free lane go on with what is its head now."""
    statement = f"""WITH freed AS (UPDATE {schema}.lanes l SET ready_at = (SELECT run_at FROM {schema}.items i
        WHERE i.queue = l.queue AND i.lane = l.lane AND i.state = 0 ORDER BY i.id LIMIT 1)
        WHERE l.queue = %s AND l.lane = %s AND l.node IS NULL RETURNING l.queue)
        SELECT pg_notify(%s, queue) FROM freed"""
    return SqlCall(statement, (queue, lane, schema), ((queue, lane),))


def drop_call(schema: str, queue: str, lane: str) -> SqlCall:
    """Remove a lane that has nothing, and that nobody holds."""
    statement = f"""DELETE FROM {schema}.lanes
        WHERE queue = %s AND lane = %s AND ready_at IS NULL AND node IS NULL RETURNING lane"""
    return SqlCall(statement, (queue, lane), ((queue, lane),))


async def remove(
    schema: str, write: Callable[[SqlCall], Awaitable[list[Row]]], items: Sequence[int], now: float | None
) -> tuple[int, ...]:
    """Remove items that nobody works just now; their lanes go on with what is behind them, or go too."""
    rows = [
        *await write(remove_call(schema, items, now)),
        *await write(remove_ended_call(schema, items)),
    ]
    for lane in {(row[1], row[2]) for row in rows}:
        await write(refresh_call(schema, *lane))
        await write(drop_call(schema, *lane))
    return tuple(int(row[0]) for row in rows)


def _held(schema: str) -> str:
    """Return whether a living node holds the lane of the item `i`; takes the moment."""
    return f"""EXISTS (SELECT 1 FROM {schema}.lanes l JOIN {schema}.nodes n ON n.name = l.node
        WHERE l.queue = i.queue AND l.lane = i.lane AND n.until > {schema}.moment(%s::float8))"""
