"""Tables for readers whose markdown has none: aligned text, or a line for each row."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest


def align_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows under a head as text of even columns."""
    flat = [[" ".join(cell.split()) for cell in row] for row in rows]
    widths = [max(display_width(cell) for cell in column) for column in zip_longest(*flat, fillvalue="")]
    lines = [" | ".join(_padded(row, widths)).rstrip() for row in flat]
    lines.insert(1, "-+-".join("-" * each for each in widths))
    return "\n".join(lines)


def display_width(text: str) -> int:
    """How many columns a text takes where all signs are as wide: two for Chinese ones, none for accents."""
    if text.isascii():
        return len(text)
    return sum(_columns(sign) for sign in text)


def pair_cells(names: Sequence[str], cells: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return each cell of a row behind its column's name, without pairs that are empty."""
    for name, cell in zip_longest(names, cells, fillvalue=""):
        if name or cell:
            yield name, cell


def row_as_line(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return one row as "name: cell · name: cell"; the name of an empty cell stands alone."""
    pairs = pair_cells(names, cells)
    return " · ".join(f"{name}: {cell}" if name and cell else name or cell for name, cell in pairs)


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for cell, wide in zip(row, widths, strict=False):
        yield cell + " " * (wide - display_width(cell))


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or sign in "\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
