"""A tree of markdown as Telegram has it: plain text, and marks on it by offset and length in UTF-16 units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from telegram.constants import MessageEntityType

from parley.channels.kit.markdown.tables import align_table, display_width
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
    plain_text,
)
from parley.channels.kit.text import utf16_length

WIDEST = 44
"""Columns of a table that a phone still shows without breaking its lines."""
LINKS = ("http://", "https://", "mailto:")
RULE = "⸻"
_BOXES = {"": "•", " ": "☐", "x": "☑"}
_TYPES: dict[Mark, MessageEntityType] = {
    "bold": MessageEntityType.BOLD,
    "italic": MessageEntityType.ITALIC,
    "struck": MessageEntityType.STRIKETHROUGH,
    "code": MessageEntityType.CODE,
}
# Telegram finds mentions itself in all but code. A word joiner ends them; U+FF20 is as long as `@`.
_CALL = re.compile(r"(?<!\w)@(?=\w|\Z)")
_URL = re.compile(r"https?://[^\s<>]+")
_AFTER_URL = ".,;:!?'\")]}"


@dataclass(frozen=True, slots=True)
class TextEntity:
    """One mark. `detail` is a link's address or the language of a block of code."""

    type: MessageEntityType
    offset: int
    length: int
    detail: str = ""


def render_entities(blocks: Sequence[Block]) -> tuple[str, tuple[TextEntity, ...]]:
    """Return the text and its marks."""
    page = _Page()
    page.blocks(blocks)
    text = "".join(page.text)
    if len(text) == utf16_length(text):
        return text, tuple(page.entities)
    unit = list(accumulate((1 + (sign > "\uffff") for sign in text), initial=0))
    return text, tuple(_in_units(entity, unit) for entity in page.entities)


def break_calls(text: str) -> str:
    """Return a text that calls nobody, where marks do not say what is code. It is as long as before."""
    return _CALL.sub("\uff20", text)


def break_mentions(words: str) -> str:
    """Return words that call nobody and look as before."""
    return _CALL.sub("@\u2060", words) if "@" in words else words


def _in_units(entity: TextEntity, unit: Sequence[int]) -> TextEntity:
    first, last = unit[entity.offset], unit[entity.offset + entity.length]
    return TextEntity(entity.type, first, last - first, entity.detail)


class _Page:
    """A text that is being written; its marks are by character until it is whole."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.entities: list[TextEntity] = []
        self._at = 0
        self._quoted = False

    def blocks(self, blocks: Sequence[Block], depth: int = 0) -> None:
        for number, block in enumerate(blocks):
            if number:
                self._write("\n\n")
            self._block(block, depth)

    def _block(self, block: Block, depth: int) -> None:
        match block:
            case Paragraph(runs):
                self._runs(runs)
            case Heading(_, runs):
                since = self._at
                self._runs(tuple(replace(run, marks=run.marks - {"bold"}) for run in runs))
                self._mark(MessageEntityType.BOLD, since)
            case CodeBlock(language, text):
                self._code(text, language)
            case ListBlock():
                self._listing(block, depth)
            case BlockQuote(blocks):
                self._quote(blocks, depth)
            case TableBlock():
                self._table(block)
            case ThematicBreak():
                self._write(RULE)

    def _listing(self, block: ListBlock, depth: int) -> None:
        for number, item in enumerate(block.items):
            mark = f"{block.first + number}." if block.numbered and not item.box else _BOXES[item.box]
            self._write(("\n" if number else "") + "  " * depth + mark + " ")
            self._item(item, depth + 1)

    def _item(self, item: ListItem, depth: int) -> None:
        for number, block in enumerate(item.blocks):
            nested = isinstance(block, ListBlock)
            if number or nested:
                self._write("\n" if nested else "\n" + "  " * depth)
            self._block(block, depth)

    def _quote(self, blocks: Sequence[Block], depth: int) -> None:
        """Draw a quote; Telegram has none within quotes."""
        if self._quoted:
            self.blocks(blocks, depth)
            return
        self._quoted = True
        since = self._at
        self.blocks(blocks, depth)
        self._mark(MessageEntityType.BLOCKQUOTE, since)
        self._quoted = False

    def _table(self, table: TableBlock) -> None:
        """Align a table that is narrow and has no links; else make a line of each row, with column names."""
        rows = [table.head, *table.rows]
        linked = any(run.address for row in rows for cell in row for run in cell)
        text = "" if linked else align_table([[plain_text(cell) for cell in row] for row in rows])
        if text and max(display_width(line) for line in text.split("\n")) <= WIDEST:
            self._code(text, "")
            return
        for number, row in enumerate(table.rows or (table.head,)):
            self._write("\n• " if number else "• ")
            self._row(table.head if table.rows else (), row)

    def _row(self, names: Sequence[TextRuns], cells: Sequence[TextRuns]) -> None:
        for number, cell in enumerate(cells):
            name = plain_text(names[number]) if number < len(names) else ""
            self._write(" · " if number else "")
            self._write(break_mentions(name) + (": " if name and cell else ""))
            self._runs(cell)

    def _code(self, text: str, language: str) -> None:
        since = self._at
        self._write(text)
        self._mark(MessageEntityType.PRE, since, language)

    def _runs(self, runs: TextRuns) -> None:
        since: dict[Mark, int] = {}
        address, begun = "", self._at
        for run in runs:
            if run.address != address:
                self._link(address, begun)
                address, begun = run.address, self._at
            if since or run.marks:
                self._turn(since, run.marks)
            if "@" in run.text and "code" not in run.marks:
                self._called(run)
            else:
                self._write(run.text)
        self._link(address, begun)
        self._turn(since, frozenset())

    def _turn(self, since: dict[Mark, int], marks: frozenset[Mark]) -> None:
        """End and begin marks, so that just these are on."""
        for mark in since.keys() - marks:
            self._mark(_TYPES[mark], since.pop(mark))
        for mark in marks:
            since.setdefault(mark, self._at)

    def _called(self, run: TextRun) -> None:
        """Draw words with an `@`. Addresses among them, which it would tear, are made links."""
        at = 0
        for found in _URL.finditer(run.text) if not run.address else ():
            address = found[0].rstrip(_AFTER_URL)
            if "@" in address:
                self._write(break_mentions(run.text[at : found.start()]))
                since = self._at
                self._write(break_mentions(address))
                self._mark(MessageEntityType.TEXT_LINK, since, address)
                at = found.start() + len(address)
        self._write(break_mentions(run.text[at:]))

    def _link(self, address: str, since: int) -> None:
        """End a link; an address that Telegram does not take is shown behind its words."""
        if address.lower().startswith(LINKS):
            self._mark(MessageEntityType.TEXT_LINK, since, address)
        elif address and self.text[-1:] != [address]:
            self._write(f" ({break_mentions(address)})")

    def _write(self, text: str) -> None:
        if text:
            self.text.append(text)
            self._at += len(text)

    def _mark(self, kind: MessageEntityType, since: int, detail: str = "") -> None:
        if self._at > since:
            self.entities.append(TextEntity(kind, since, self._at - since, detail))
