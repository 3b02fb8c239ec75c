"""All items, looked through a slice at a time, and removed for good; see core.ports.store_admin."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from collections.abc import Sequence

from parley.core.ports.store_admin import StoredItemPage
from parley.store.rows import parse_stored_items
from parley.store.sqlite.execution.reader import Reader
from parley.store.sqlite.execution.transaction import Transaction
from parley.store.sqlite.operations import sql

SLICE = 2000
"""Items looked at in one query, so that nobody waits long behind it."""

HELD = """EXISTS (SELECT 1 FROM lanes WHERE lanes.queue = items.queue AND lanes.lane = items.lane
    AND node IS NOT NULL AND ready_at > ?)"""
"""Held by a node whose lease is not over; takes the moment."""
_LAST = "SELECT max(id) FROM (SELECT id FROM items WHERE id > ? ORDER BY id LIMIT ?)"
_SEARCH = f"SELECT {sql.ITEM}, state, reason, {HELD} FROM items WHERE id > ? AND id <= ? AND (%s) ORDER BY id"
_REMOVE = f"""DELETE FROM items WHERE id = ? AND NOT (state = 0 AND note <> '' AND {HELD})
    RETURNING queue, lane, state"""
_DROP_LANE = "DELETE FROM lanes WHERE queue = ? AND lane = ? AND ready_at IS NULL AND node IS NULL"


async def search(
    reader: Reader, words: Sequence[str], lanes: Sequence[str], after: int, now: float
) -> StoredItemPage:
    """Return the next slice of what has one of `words` in its body, or is in one of `lanes`."""
    last = (await reader.rows(_LAST, after, SLICE))[0][0]
    if last is None:
        return StoredItemPage((), after, more=False)
    rows = await reader.rows(_SEARCH % build_filter(words, lanes), now, after, last, *words, *lanes)
    return StoredItemPage(parse_stored_items(rows), last, more=True)


async def lanes_before(reader: Reader, item: int, limit: int) -> list[tuple[int, str, str]]:
    """Return the newest items below an id: id, queue and lane."""
    return [(number, queue, lane) for number, queue, lane in await reader.rows(sql.LAST, item, limit)]


def build_filter(words: Sequence[str], lanes: Sequence[str]) -> str:
    """Return the condition for one of so many words, or one of so many lanes; it takes them in this order."""
    return " OR ".join(["0", *("instr(body, ?) > 0" for _ in words), *("lane = ?" for _ in lanes)])


def remove(tx: Transaction, items: Sequence[int]) -> tuple[int, ...]:
    """Remove items that nobody works just now; their lanes go on with what is behind them, or go too."""
    gone: list[int] = []
    for item in items:
        for queue, lane, state in tx.rows(_REMOVE, item, tx.now):
            gone.append(item)
            if not state:
                tx.change(sql.REFRESH, queue, lane)
                tx.wake(queue)
            tx.change(_DROP_LANE, queue, lane)
    return tuple(gone)
