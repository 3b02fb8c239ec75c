"""Markdown to its tree. Any text has one, in time that grows as its length; no word of it is missing there.

What is not: the marks themselves, titles of links, what follows the language of a code block on its line, and
definitions of link references (`[name]: address`) that are referred to: their address is on the link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from parley.channels.kit.markdown.events import ParserEvent, parse_events
from parley.channels.kit.markdown.tree import (
    Block,
    BlockQuote,
    CodeBlock,
    Heading,
    ListBlock,
    ListItem,
    Mark,
    Paragraph,
    TableBlock,
    TextRun,
    TextRuns,
    ThematicBreak,
)

DEEPEST = 24
"""Lists, their items and quotes deeper than this in each other stand side by side."""
_MARKS: dict[str, Mark] = {"Strong": "bold", "Emphasis": "italic", "Strikethrough": "struck"}
_LABEL = re.compile(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*\[((?:[^\[\]\\]|\\.)+)\]:", re.MULTILINE)


def parse(markdown: str) -> tuple[Block, ...]:
    """Return the text's blocks in order."""
    found = parse_events(markdown)
    builder = _Builder(_Unused(markdown, found))
    for event in found:
        builder.take(event)
    return builder.done(len(markdown))


@dataclass(slots=True)
class _Frame:
    """A list, an item or a quote that is still open; `value` is the number a list begins with."""

    value: object = None
    flat: bool = False
    box: str = ""
    blocks: list[Block] = field(default_factory=list)
    items: list[ListItem] = field(default_factory=list)


class _Builder:
    def __init__(self, unused: _Unused) -> None:
        self._unused = unused
        self._stack = [_Frame()]
        self._runs: list[TextRun] = []
        self._marks: list[frozenset[Mark]] = [frozenset()]
        self._lead = ""
        self._addresses: list[tuple[str, int]] = []
        self._language = ""
        self._rows: list[list[TextRuns]] = []

    def take(self, event: ParserEvent) -> None:
        handler = _HANDLERS.get(event.name)
        if handler is not None:
            handler(self, event)
        elif event.name[1:] in _MARKS:
            self.mark(event)

    def done(self, length: int) -> tuple[Block, ...]:
        self._flush(length)
        return tuple(self._stack[0].blocks)

    def mark(self, event: ParserEvent) -> None:
        if event.name.startswith("+"):
            self._marks.append(self._marks[-1] | {_MARKS[event.name[1:]]})
        else:
            self._marks.pop()

    def words(self, event: ParserEvent) -> None:
        self._add(event, str(event.value))

    def code_span(self, event: ParserEvent) -> None:
        self._add(event, str(event.value), "code")

    def line_end(self, event: ParserEvent) -> None:
        self._add(event, "\n")

    def footnote(self, event: ParserEvent) -> None:
        self._add(event, f"[^{event.value}]")

    def task(self, event: ParserEvent) -> None:
        self._unused.skip(event.end)
        self._stack[-1].box = "x" if event.value else " "

    def anchor(self, event: ParserEvent) -> None:
        """A link begins, or a picture, which in a link is part of its words."""
        inner = self._addresses[-1][0] if self._addresses else ""
        self._addresses.append((inner or _address(event.value), len(self._runs)))

    def anchor_end(self, event: ParserEvent) -> None:
        self._unused.skip(event.end)
        address, before = self._addresses.pop()
        if len(self._runs) == before and address:
            self._runs.append(TextRun(address, self._marks[-1], address))

    def leaf(self, event: ParserEvent) -> None:
        """A block of words or of code begins."""
        self._flush(event.start)
        self._unused.skip(event.end)

    def paragraph(self, event: ParserEvent) -> None:
        self._flush(event.end)

    def heading(self, event: ParserEvent) -> None:
        self._stack[-1].blocks.append(Heading(int(str(event.value)[1:]), self._taken()))

    def code(self, event: ParserEvent) -> None:
        self.leaf(event)
        info = event.value.get("Fenced", "") if isinstance(event.value, dict) else ""
        self._language = str(info).split(maxsplit=1)[0] if str(info).strip() else ""

    def code_end(self, event: ParserEvent) -> None:
        text = "".join(run.text for run in self._taken()).removesuffix("\n")
        self._stack[-1].blocks.append(CodeBlock(self._language, text))

    def rule(self, event: ParserEvent) -> None:
        self.leaf(event)
        self._stack[-1].blocks.append(ThematicBreak())

    def table(self, event: ParserEvent) -> None:
        self.leaf(event)
        self._rows = []

    def row(self, event: ParserEvent) -> None:
        self._rows.append([])

    def cell_end(self, event: ParserEvent) -> None:
        self._rows[-1].append(self._taken())

    def table_end(self, event: ParserEvent) -> None:
        head, *rows = (tuple(row) for row in self._rows)
        self._stack[-1].blocks.append(TableBlock(head, tuple(rows)))

    def opened(self, event: ParserEvent) -> None:
        """A list, an item or a quote begins."""
        self._flush(event.start)
        parent = self._stack[-1]
        flat = parent.flat if event.name == "+Item" else len(self._stack) > DEEPEST
        self._stack.append(_Frame(event.value, flat))
        if event.name == "+FootnoteDefinition":
            self._lead = f"[^{event.value}]: "
            self._unused.skip(event.start + len(self._lead))

    def closed(self, event: ParserEvent) -> None:
        if self._lead and event.name == "-FootnoteDefinition":
            self._begin(event.start)
        self._flush(event.end)
        frame, parent = self._stack.pop(), self._stack[-1]
        if frame.flat or event.name == "-FootnoteDefinition":
            parent.blocks += frame.blocks
        elif event.name == "-Item":
            parent.items.append(ListItem(tuple(frame.blocks), frame.box))
        elif event.name == "-List":
            numbered = isinstance(frame.value, int)
            first = frame.value if isinstance(frame.value, int) else 1
            parent.blocks.append(ListBlock(tuple(frame.items), numbered, first))
        else:
            parent.blocks.append(BlockQuote(tuple(frame.blocks)))

    def _add(self, event: ParserEvent, text: str, *marks: Mark) -> None:
        if not self._runs:
            self._begin(event.start)
        self._unused.skip(event.end)
        address = self._addresses[-1][0] if self._addresses else ""
        self._runs.append(TextRun(text, self._marks[-1].union(marks) if marks else self._marks[-1], address))

    def _begin(self, place: int) -> None:
        """Before the first words: what is defined there in vain, and the name of a footnote."""
        if text := self._unused.before(place):
            self._stack[-1].blocks.append(Paragraph((TextRun(text),)))
        if self._lead:
            self._runs.append(TextRun(self._lead))
            self._lead = ""

    def _taken(self) -> TextRuns:
        runs = tuple(self._runs)
        self._runs.clear()
        return runs

    def _flush(self, place: int) -> None:
        """End the words of a paragraph, or of a list item without one, and show what is defined in vain."""
        if self._runs:
            self._stack[-1].blocks.append(Paragraph(self._taken()))
        if text := self._unused.before(place):
            self._stack[-1].blocks.append(Paragraph((TextRun(text),)))


class _Unused:
    """Definitions of link references between the blocks, for which the parser has no events."""

    def __init__(self, markdown: str, found: Sequence[ParserEvent]) -> None:
        self._source = markdown
        self._at = 0
        self._any = "]:" in markdown
        self._used = {_reference(event.value) for event in found if event.name in ("+Link", "+Image")}

    def skip(self, place: int) -> None:
        """All before is accounted for."""
        self._at = max(self._at, place)

    def before(self, place: int) -> str:
        """Return what is defined before this and never referred to, as written."""
        if not self._any or place <= self._at:
            return ""
        gap = self._source[self._at : place]
        self._at = place
        labels = [_folded(label) for label in _LABEL.findall(gap)]
        return "" if all(label in self._used for label in labels) else gap[gap.index("[") :].strip()


def _reference(value: object) -> str:
    return _folded(str(value.get("id", ""))) if isinstance(value, dict) else ""


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _address(value: object) -> str:
    return str(value.get("dest_url", "")) if isinstance(value, dict) else ""


_HANDLERS: dict[str, Callable[[_Builder, ParserEvent], None]] = {
    **dict.fromkeys(("Text", "Html", "InlineHtml"), _Builder.words),
    **dict.fromkeys(("SoftBreak", "HardBreak"), _Builder.line_end),
    **dict.fromkeys(("+Paragraph", "+Heading", "+HtmlBlock"), _Builder.leaf),
    **dict.fromkeys(("-Paragraph", "-HtmlBlock"), _Builder.paragraph),
    **dict.fromkeys(("+Link", "+Image"), _Builder.anchor),
    **dict.fromkeys(("-Link", "-Image"), _Builder.anchor_end),
    **dict.fromkeys(("+TableHead", "+TableRow"), _Builder.row),
    **dict.fromkeys(("+List", "+Item", "+BlockQuote", "+FootnoteDefinition"), _Builder.opened),
    **dict.fromkeys(("-List", "-Item", "-BlockQuote", "-FootnoteDefinition"), _Builder.closed),
    "Code": _Builder.code_span,
    "FootnoteReference": _Builder.footnote,
    "TaskListMarker": _Builder.task,
    "+CodeBlock": _Builder.code,
    "-CodeBlock": _Builder.code_end,
    "-Heading": _Builder.heading,
    "Rule": _Builder.rule,
    "+Table": _Builder.table,
    "-TableCell": _Builder.cell_end,
    "-Table": _Builder.table_end,
}
