"""How much SQLite does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parley.store.sqlite import SqliteStore


@contextmanager
def counted_steps(store: SqliteStore) -> Iterator[list[int]]:
    """How much the database did for reads and writes, in tens of its machine's instructions."""
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    connections = (store._engine.reader._connection, store._engine.writer._connection)
    for connection in connections:
        connection.set_progress_handler(count, 10)
    yield steps
    for connection in connections:
        connection.set_progress_handler(None, 0)
