"""Where code, links, tables and line ends stand in a source: for chats that read markdown themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from parley.channels.kit.markdown.events import ParserEvent, parse_events


@dataclass(frozen=True, slots=True)
class FenceSpan:
    """A fenced block: offsets of its opening line, its code, its closing line (or the end), and after it."""

    start: int
    body: int
    close: int
    end: int
    indent: str
    marker: str
    info: str


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Code that no fence holds: in a line, or an indented block."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """A link or a picture, and its words within; `bare` is one like <https://a.link>."""

    start: int
    words_start: int
    words_end: int
    end: int
    address: str
    picture: bool = False
    bare: bool = False
    nested: bool = False


@dataclass(frozen=True, slots=True)
class TableSpan:
    """A table with where its cells are, the head's row first."""

    start: int
    end: int
    rows: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """All of them, each kind in order; `breaks` are where a line ends within a paragraph."""

    fences: tuple[FenceSpan, ...]
    codes: tuple[CodeSpan, ...]
    anchors: tuple[LinkSpan, ...]
    tables: tuple[TableSpan, ...]
    breaks: tuple[int, ...]


def outline(markdown: str) -> Outline:
    """Return where things stand in a text."""
    reader = _Reader(markdown)
    for event in parse_events(markdown):
        handler = _HANDLERS.get(event.name)
        if handler is not None:
            handler(reader, event)
        elif event.name[:1] != "-":
            reader.inside(event)
    anchors = sorted(reader.anchors, key=lambda anchor: (anchor.start, -anchor.end))
    return Outline(
        tuple(reader.fences),
        tuple(reader.codes),
        tuple(anchors),
        tuple(reader.tables),
        tuple(reader.breaks),
    )


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self.fences: list[FenceSpan] = []
        self.codes: list[CodeSpan] = []
        self.anchors: list[LinkSpan] = []
        self.tables: list[TableSpan] = []
        self.breaks: list[int] = []
        self._open: list[tuple[ParserEvent, int]] = []
        self._rows: list[list[tuple[int, int]]] = []
        self._code_end = 0
        self._fenced = False

    def inside(self, event: ParserEvent) -> None:
        """What is here is within the open anchor, or the last of an open block of code."""
        self._code_end = event.end
        if self._open:
            opened, last = self._open[-1]
            self._open[-1] = opened, max(last, event.end)

    def code(self, event: ParserEvent) -> None:
        self.inside(event)
        self.codes.append(CodeSpan(event.start, event.end))

    def line_end(self, event: ParserEvent) -> None:
        self.inside(event)
        if event.name == "SoftBreak":
            self.breaks.append(event.start)

    def block(self, event: ParserEvent) -> None:
        self._code_end = event.start
        self._fenced = isinstance(event.value, dict)

    def block_end(self, event: ParserEvent) -> None:
        if self._fenced:
            self.fences.append(_fence(self._source, event.start, event.end, self._code_end))
        else:
            self.codes.append(CodeSpan(event.start, event.end))

    def anchor(self, event: ParserEvent) -> None:
        self.inside(event)
        self._open.append((event, event.start))

    def anchor_end(self, event: ParserEvent) -> None:
        opened, last = self._open.pop()
        detail = opened.value if isinstance(opened.value, dict) else {}
        picture, bare = opened.name == "+Image", detail.get("link_type") in ("Autolink", "Email")
        begin = event.start + (2 if picture else 1)
        self.anchors.append(
            LinkSpan(
                event.start,
                begin,
                event.end - 1 if bare else max(begin, last),
                event.end,
                str(detail.get("dest_url", "")),
                picture,
                bare,
                bool(self._open),
            )
        )

    def table(self, event: ParserEvent) -> None:
        self._rows = []

    def row(self, event: ParserEvent) -> None:
        self._rows.append([])

    def cell(self, event: ParserEvent) -> None:
        self._rows[-1].append((event.start, event.end))

    def table_end(self, event: ParserEvent) -> None:
        self.tables.append(TableSpan(event.start, event.end, tuple(tuple(row) for row in self._rows)))


def _fence(source: str, start: int, end: int, code_end: int) -> FenceSpan:
    head = re.compile(r"(`{3,}|~{3,})([^\n]*)").match(source, start)
    marker, info = (head[1], head[2]) if head else (source[start : start + 3], "")
    line = source.rfind("\n", 0, start) + 1
    body = min(end, start + len(marker) + len(info) + 1)
    last = source.rfind("\n", 0, end) + 1
    closed = last >= body and source[max(code_end, last) : end].strip(" \t>").startswith(marker)
    indent = re.sub(r"[^\s>]", " ", source[line:start])
    return FenceSpan(
        line, body, last if closed else end, _after_line(source, end), indent, marker, info.rstrip("\r")
    )


def _after_line(source: str, end: int) -> int:
    return end + 1 if source[end : end + 1] == "\n" else end


_HANDLERS: dict[str, Callable[[_Reader, ParserEvent], None]] = {
    "Code": _Reader.code,
    **dict.fromkeys(("SoftBreak", "HardBreak"), _Reader.line_end),
    "+CodeBlock": _Reader.block,
    "-CodeBlock": _Reader.block_end,
    **dict.fromkeys(("+Link", "+Image"), _Reader.anchor),
    **dict.fromkeys(("-Link", "-Image"), _Reader.anchor_end),
    "+Table": _Reader.table,
    **dict.fromkeys(("+TableHead", "+TableRow"), _Reader.row),
    "+TableCell": _Reader.cell,
    "-Table": _Reader.table_end,
}
