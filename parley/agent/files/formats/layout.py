"""Text of a page from where its signs stand: lines, paragraphs, and tables (pure).

Words that stand in columns are a table; the rules for it, and their figures in points, follow those of
markitdown (MIT).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from .markdown import table

_GAP = 0.8
"""Of a sign's height: what is farther from the sign before is another cell."""
_SAME_LINE = 0.5
_PARAGRAPH = 1.35
"""Of the usual distance between lines: more begins a paragraph."""
_APART, _ALIGNED, _BEFORE = 50.0, 40.0, 20.0
_TOLERANCE, _LEAST_TOLERANCE, _MOST_TOLERANCE = 35.0, 25.0, 50.0
_LEAST_WIDTH = 30.0
_MOST_COLUMNS, _USUAL_WIDTH = 20, 612.0
_COLUMNS_OF_TABLES = 3
_LEAST_SHARE = 0.2
_WIDE, _LONG_CELL = 0.55, 25
_NUMBER = re.compile(r"\.\d+")
_HYPHENS = {"\x02": "-", "\ufffe": "-", "\xad": "-"}


class Sign(NamedTuple):
    """A character and its box, whose `top` is less than its `bottom`."""

    text: str
    left: float
    right: float
    top: float
    bottom: float


@dataclass(slots=True)
class Span:
    """Signs side by side on one line."""

    text: str
    left: float
    right: float
    top: float
    bottom: float

    def add(self, text: str, right: float) -> None:
        """Take in what stands to the right."""
        self.text += text
        self.right = max(self.right, right)

    def continues(self, sign: Sign | Span, gap: float) -> bool:
        """Return whether a sign stands on the same line, no farther off than `gap` heights."""
        height = max(self.bottom - self.top, 1.0)
        return -height < sign.left - self.right < gap * height and self.is_beside(sign)

    def is_beside(self, other: Sign | Span) -> bool:
        """Return whether something stands on the same line."""
        least = min(self.bottom - self.top, other.bottom - other.top)
        return min(self.bottom, other.bottom) - max(self.top, other.top) > _SAME_LINE * least


@dataclass(frozen=True, slots=True)
class Row:
    """What stands on one line of the page, from the left."""

    spans: list[Span]

    @property
    def text(self) -> str:
        return " ".join(span.text for span in self.spans)

    @property
    def starts(self) -> list[float]:
        """Where its cells begin."""
        found: list[float] = []
        for span in self.spans:
            if not found or span.left - found[-1] > _APART:
                found.append(span.left)
        return found

    def is_prose(self, page_width: float) -> bool:
        """Return whether this is a line of one or several columns of text, or an item of a list."""
        width = self.spans[-1].right - self.spans[0].left
        is_long = len(self.text) > _LONG_CELL * len(self.spans)
        return (is_long and width > _WIDE * page_width) or _NUMBER.fullmatch(self.spans[0].text) is not None

    def is_in(self, columns: Sequence[float]) -> bool:
        """Return whether it has cells in two of the columns at least."""
        met = {
            next((place for place, x in enumerate(columns) if abs(span.left - x) < _ALIGNED), None)
            for span in self.spans
        }
        return len(met - {None}) > 1

    def cells(self, columns: Sequence[float]) -> list[str]:
        """Return its text, column by column."""
        cells: list[list[str]] = [[] for _ in columns]
        for span in self.spans:
            later = (place for place, x in enumerate(columns[1:]) if span.left < x - _BEFORE)
            cells[next(later, len(columns) - 1)].append(span.text)
        return [" ".join(cell) for cell in cells]


def page_text(signs: Iterable[Sign], page_width: float) -> str:
    """Return the text of a page, its signs in the order in which they are drawn."""
    spans = _spans(signs)
    rows = _rows(spans)
    columns = _columns([row for row in rows if not row.is_prose(page_width)], page_width)
    tabular = [not row.is_prose(page_width) and row.is_in(columns) for row in rows]
    if not columns or sum(tabular) < _LEAST_SHARE * len(rows):
        return _prose(spans)
    parts = []
    for is_table, group in groupby(zip(tabular, rows, strict=True), key=lambda pair: pair[0]):
        found = [row for _, row in group]
        lines = [row.text for row in found]
        parts.append(table([row.cells(columns) for row in found]) if is_table else "\n".join(lines))
    return "\n\n".join(parts)


def _spans(signs: Iterable[Sign]) -> list[Span]:
    spans: list[Span] = []
    ended, blank = True, ""
    for sign in signs:
        text = _HYPHENS.get(sign.text, sign.text)
        goes_on = not ended and spans[-1].continues(sign, _GAP)
        if text in "\r\n\0":
            ended = True
        elif text.isspace():
            blank = " "
            if goes_on:  # a space that the library found, as nobody drew it, has no place
                spans[-1].right = max(spans[-1].right, sign.right)
        elif goes_on:
            spans[-1].add(blank + text, sign.right)
            blank = ""
        else:
            spans.append(Span(text, *sign[1:]))
            ended, blank = False, ""
    for span in spans:
        span.text = _whole(span.text)
    return spans


def _whole(text: str) -> str:
    """Return a text in which the halves of signs beyond the first plane are joined."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _rows(spans: Iterable[Span]) -> list[Row]:
    rows: list[list[Span]] = []
    for span in sorted(spans, key=lambda span: span.top + span.bottom):
        if rows and rows[-1][0].is_beside(span):
            rows[-1].append(span)
        else:
            rows.append([span])
    return [Row(sorted(row, key=lambda span: span.left)) for row in rows]


def _columns(rows: Iterable[Row], page_width: float) -> list[float]:
    """Return where the columns of a page's tables begin; nothing where it has none."""
    starts = sorted(x for row in rows if len(row.starts) >= _COLUMNS_OF_TABLES for x in row.starts)
    tolerance = _tolerance([later - x for x, later in pairwise(starts) if later - x > 5])
    columns: list[float] = []
    for x in starts:
        if not columns or x - columns[-1] > tolerance:
            columns.append(x)
    most = max(15, int(_MOST_COLUMNS * page_width / _USUAL_WIDTH))
    if not 1 < len(columns) <= most or (columns[-1] - columns[0]) / len(columns) < _LEAST_WIDTH:
        return []
    return columns


def _tolerance(gaps: list[float]) -> float:
    if len(gaps) < 3:
        return _TOLERANCE
    return max(_LEAST_TOLERANCE, min(_MOST_TOLERANCE, sorted(gaps)[int(len(gaps) * 0.7)]))


def _prose(spans: Sequence[Span]) -> str:
    steps = [later.top - span.top for span, later in pairwise(spans) if not span.is_beside(later)]
    usual = median([step for step in steps if step > 0] or [0.0])
    parts = [spans[0].text] if spans else []
    for span, later in pairwise(spans):
        if span.is_beside(later):
            between = " " if later.left > span.left else "\n"
        else:
            between = "\n" if 0 < later.top - span.top < _PARAGRAPH * usual else "\n\n"
        parts += [between, later.text]
    return "".join(parts)
