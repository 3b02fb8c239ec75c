"""One statement for many rows.

Every statement lets the interpreter's lock go, and waits for it again behind the event loop: to write a row
costs less than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from store.sqlite.transaction import Row

_WIDTHS = (256, 32, 4, 1)
"""Rows of one statement: few widths, so that each stays prepared. SQLite takes 32,766 parameters
(sqlite.org/limits.html); a row has seven at most."""


def in_parts(statement: str, rows: Sequence[Row]) -> Iterator[tuple[str, Row, int]]:
    """`statement` with its {rows} filled in, the values for it, and how many rows they are, until all are."""
    begin = 0
    for width in _WIDTHS:
        while len(rows) - begin >= width:
            part = rows[begin : begin + width]
            yield _widened(statement, len(part[0]), width), tuple(chain.from_iterable(part)), width
            begin += width


@cache
def _widened(statement: str, columns: int, rows: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return statement.format(rows=", ".join([row] * rows))
