"""Markdown in parts that each stand alone: fences closed and reopened, the head of a table repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from parley.channels.kit.markdown.outline import FenceSpan, Outline, TableSpan, outline
from parley.channels.kit.text import Measure, break_position

MARGIN = 64
"""Parts smaller than this have no room for closing and reopening anything."""
_INDENT = re.compile(r"[ \t]+(?=\S)")


def split(text: str, limit: int, measure: Measure = len) -> tuple[str, ...]:
    """Return Markdown in parts of at most `limit`, cut between blocks, lines, sentences, words or signs.

    Nothing but white space at the borders is left out, and no part is blank.
    """
    if measure(text) <= limit:
        return (text,) if text.strip() else ()
    found = outline(text) if limit >= MARGIN else Outline((), (), (), (), ())
    parts = _Parts(text, limit, measure, found)
    trimmed = (part.strip("\n").rstrip() for part in parts.all())
    return tuple(part for part in trimmed if part.strip())


def split_at(text: str, places: Sequence[int], limit: int, measure: Measure = len) -> tuple[str, ...]:
    """Markdown cut at just these places; fences are closed and reopened there, and nothing is left out."""
    fences = outline(text).fences if places else ()
    shown: list[str] = []
    opened: FenceSpan | None = None
    for start, end in pairwise((0, *places, len(text))):
        cut = _around(fences, end) if end < len(text) else None
        head = "" if opened is None else _reopened(opened, limit, measure)
        tail = "" if cut is None else _closing(cut, opened)
        shown.append(head + _inside(text, start, end, opened) + tail)
        opened = cut
    return tuple(shown)


def _reopened(fence: FenceSpan, limit: int, measure: Measure) -> str:
    """The line that opens a fence again, without its language where that would take much of `limit`."""
    line = f"{_margin(fence)}{fence.marker}{fence.info}\n"
    return line if measure(line) <= limit // 4 else f"{_margin(fence)}{fence.marker}\n"


def _closing(fence: FenceSpan, opened: FenceSpan | None) -> str:
    """Return the line that closes a fence, which was `opened` again or else stands where it began."""
    return f"\n{_margin(fence) if fence == opened else fence.indent}{fence.marker}"


def _margin(fence: FenceSpan) -> str:
    """What stands before a reopened fence: the marks of quotes, not the indent of a list that is gone."""
    return fence.indent if ">" in fence.indent else ""


def _inside(text: str, start: int, end: int, opened: FenceSpan | None) -> str:
    """Return a piece of the text; what is of a reopened fence is moved to the margin with it."""
    if opened is None or _margin(opened):
        return text[start:end]
    inside = min(end, opened.end)
    return _dedented(text[start:inside], len(opened.indent)) + text[inside:end]


def _around(fences: tuple[FenceSpan, ...], at: int) -> FenceSpan | None:
    """Return the fenced block that a cut at `at` would tear."""
    return next((fence for fence in fences if fence.body <= at <= fence.close and at < fence.end), None)


class _Parts:
    def __init__(self, text: str, limit: int, measure: Measure, found: Outline) -> None:
        self._text, self._limit, self._measure = text, limit, measure
        # A fence too long to be repeated is somebody's joke.
        self._fences = tuple(
            fence for fence in found.fences if measure(fence.indent + fence.marker) <= limit // 8
        )
        self._tables = tuple(table for table in found.tables if self._repeatable(table))
        self._indented = tuple(code for code in found.codes if "\n" in text[code.start : code.end])

    def all(self) -> Iterator[str]:
        start = 0
        while start < len(self._text):
            opened = _around(self._fences, start)
            head = self._head(start, opened)
            room = self._limit - self._measure(head)
            end = self._end(start, room)
            cut = _around(self._fences, end)
            if cut is None:
                yield head + self._body(start, end, opened)
                start = end
                continue
            tail = _closing(cut, opened)
            end = self._end(start, room - self._measure(tail))
            cut = _around(self._fences, end)
            body = self._body(start, end, opened)
            yield head + (body if cut is None else body.rstrip("\n") + tail)
            start = end if cut is None or self._text[end : cut.close].strip() else cut.end

    def _head(self, start: int, opened: FenceSpan | None) -> str:
        """What a part that begins here repeats of before: the fence's first line, or the table's head."""
        if opened is not None:
            return _reopened(opened, self._limit, self._measure)
        table = self._table(start)
        return "" if table is None else _head_of(self._text, table)

    def _body(self, start: int, end: int, opened: FenceSpan | None) -> str:
        text = _inside(self._text, start, end, opened)
        if opened is not None or any(code.start <= start < code.end for code in self._indented):
            return text
        return _shifted(text) if start and self._text[start - 1] == "\n" else text

    def _end(self, start: int, room: int) -> int:
        """A border that tears no fence's own line, and leaves no opening one alone and no table's head."""
        end = break_position(self._text, start, room, self._measure)
        for fence in self._fences:
            if fence.close < end < fence.end and fence.close > start:
                return fence.close
            if fence.start > start and fence.start < end < fence.close:
                early = fence.start - start < 0.5 * (end - start)
                return end if early and self._text[fence.body : end].strip() else fence.start
        table = self._table(end)
        return end if table is None else self._row_end(table, start, end)

    def _row_end(self, table: TableSpan, start: int, end: int) -> int:
        """Return the last border between rows, or that before the table, if there is one in this part."""
        rows = [self._line(row[0][0]) for row in table.rows[1:] if row]
        before = [place for place in (self._line(table.start), *rows[1:]) if start < place <= end]
        return before[-1] if before else end

    def _table(self, at: int) -> TableSpan | None:
        """Return the table that a cut here would tear."""
        return next((table for table in self._tables if self._line(table.start) < at < table.end), None)

    def _repeatable(self, table: TableSpan) -> bool:
        """Tell whether a table has rows, stands at the margin, and has a small head."""
        if len(table.rows) < 2 or self._line(table.start) != table.start:
            return False
        return self._measure(_head_of(self._text, table)) <= self._limit // 4

    def _line(self, at: int) -> int:
        return self._text.rfind("\n", 0, at) + 1


def _head_of(text: str, table: TableSpan) -> str:
    """Return the head's line and the one under it."""
    first = text.find("\n", table.start) + 1
    second = text.find("\n", first) + 1
    return text[table.start : second or table.end]


def _dedented(text: str, width: int) -> str:
    """Return lines without up to so many of the blanks that they begin with."""
    return re.sub(rf"^[ \t]{{1,{width}}}", "", text, flags=re.MULTILINE) if width else text


def _shifted(text: str) -> str:
    """A text that begins within a nested list, so far to the left as it can be: deep in, it would be code."""
    indent = _INDENT.match(text)
    if indent is None:
        return text
    lines = text.split("\n")
    width = len(indent[0])
    count = next(
        (number for number, line in enumerate(lines) if line.strip() and not line.startswith(indent[0])),
        len(lines),
    )
    return "\n".join([*(line[width:] for line in lines[:count]), *lines[count:]])
