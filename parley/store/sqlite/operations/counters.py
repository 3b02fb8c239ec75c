"""Counts that grow."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.model.usage import Usage
from parley.core.ports.journal import CounterIncrement
from parley.store.rows import Row
from parley.store.sqlite.execution.transaction import Transaction, as_json
from parley.store.sqlite.operations import sql
from parley.store.sqlite.operations.documents import HIGHEST

_NAMES = "tallies"
"""The queue, as it were, of the names that `tally` is told."""


def tally(tx: Transaction, tallies: Sequence[CounterIncrement], once: str) -> bool:
    """Add all or nothing; see core.ports.journal.Journal."""
    if once and tx.rows(sql.KNOWN_NAME, _NAMES, once):
        return True
    if not all(_has_room(tx, each) for each in tallies):
        return False
    if once:
        tx.change(sql.REMEMBER_NAME, _NAMES, once, tx.now, None)
    add(tx, tallies)
    return True


def add(tx: Transaction, tallies: Sequence[CounterIncrement]) -> None:
    """Add, whatever the counts come to."""
    rows: list[Row] = [(each.name, each.until, *_counts(each.usage)) for each in tallies]
    together = as_json(rows) if len(rows) > 1 else None
    if together is not None:
        tx.change(sql.ADD_TALLIES, together)
    else:
        for row in rows:
            tx.change(sql.ADD_TALLY, *row)


def _counts(used: Usage) -> tuple[int, ...]:
    return used.turns, used.metered, used.input, used.output, used.unpriced, used.cost


def uncount(tx: Transaction, prefixes: Sequence[str]) -> int:
    """Remove counts by the beginning of their names."""
    return sum(tx.change(sql.DELETE_TALLIES, prefix, prefix + HIGHEST) for prefix in prefixes)


def _has_room(tx: Transaction, tally: CounterIncrement) -> bool:
    if not tally.most:
        return True
    rows = tx.rows(sql.TALLIED_TURNS, tally.name)
    return (rows[0][0] if rows else 0) + tally.usage.turns <= tally.most
