"""A rich message of somebody as markdown. The SDK does not know them, so it is read as it comes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from parley.core.model.types import Json

MOST_DEPTH = 20
MOST_CHARS = 40_000

_Object: TypeAlias = "dict[str, Json]"
_SIGNS = {"bold": "**", "italic": "_", "strikethrough": "~~", "code": "`"}
_SHOWN = {"photo": "[photo]", "video": "[video]", "audio": "[audio]", "animation": "[animation]"}


def rich_words(message: Json) -> str:
    """Return what a rich message says, "" for none. Raises TypeError for what is no message."""
    if message is None:
        return ""
    if not isinstance(message, dict):
        raise TypeError("a rich message that is none")
    return _Reader().blocks(message.get("blocks"), 0).strip()


class _Reader:
    """Reads one message: as deep and as much as Telegram allows, and no more."""

    def __init__(self) -> None:
        self._left = MOST_CHARS

    def blocks(self, given: Json, depth: int) -> str:
        if not isinstance(given, list) or depth > MOST_DEPTH:
            return ""
        read = (self._block(each, depth + 1) for each in given if isinstance(each, dict))
        return "\n\n".join(block for block in read if block.strip())

    def text(self, given: Json, depth: int) -> str:
        if isinstance(given, str):
            taken = given[: self._left]
            self._left -= len(taken)
            return taken
        if depth > MOST_DEPTH:
            return ""
        if isinstance(given, list):
            return "".join(self.text(each, depth + 1) for each in given)
        return self._marked(given, depth) if isinstance(given, dict) else ""

    def _marked(self, given: _Object, depth: int) -> str:
        kind = given.get("type")
        words = self.text(given.get("text"), depth + 1)
        if kind == "url" and isinstance(url := given.get("url"), str) and words != url:
            return f"[{words}]({self.text(url, depth)})"
        if kind == "mathematical_expression":
            return f"${self.text(given.get('expression'), depth)}$"
        if kind == "custom_emoji":
            return self.text(given.get("alternative_text"), depth)
        sign = _SIGNS.get(str(kind), "")
        return f"{sign}{words}{sign}" if words.strip() else words

    def _block(self, block: _Object, depth: int) -> str:
        kind = str(block.get("type"))
        read = _BLOCKS.get(kind)
        if read is not None:
            return read(self, block, depth)
        words = self.text(block.get("text"), depth) or self.blocks(block.get("blocks"), depth)
        caption = block.get("caption")
        told = self.text(caption.get("text"), depth) if isinstance(caption, dict) else ""
        return " ".join(part for part in (_SHOWN.get(kind, ""), words, told) if part)

    def heading(self, block: _Object, depth: int) -> str:
        size = block.get("size")
        level = size if isinstance(size, int) and 1 <= size <= 6 else 1
        return f"{'#' * level} {self.text(block.get('text'), depth)}"

    def code(self, block: _Object, depth: int) -> str:
        language = self.text(block.get("language"), depth)
        return f"```{language}\n{self.text(block.get('text'), depth)}\n```"

    def quote(self, block: _Object, depth: int) -> str:
        words = self.blocks(block.get("blocks"), depth) or self.text(block.get("text"), depth)
        return "\n".join(f"> {line}" for line in words.split("\n"))

    def formula(self, block: _Object, depth: int) -> str:
        return f"$${self.text(block.get('expression'), depth)}$$"

    def items(self, block: _Object, depth: int) -> str:
        lines = []
        given = block.get("items")
        for item in given if isinstance(given, list) else []:
            if isinstance(item, dict):
                label = self.text(item.get("label"), depth) or "-"
                label = "-" if label in ("•", "-", "*") else label
                words = self.blocks(item.get("blocks"), depth).replace("\n", "\n  ")
                lines.append(f"{label} {words}")
        return "\n".join(lines)

    def table(self, block: _Object, depth: int) -> str:
        given = block.get("cells")
        rows = [row for row in given if isinstance(row, list)] if isinstance(given, list) else []
        lines = [f"| {' | '.join(self._cell(cell, depth) for cell in row)} |" for row in rows]
        if lines:
            lines.insert(1, "|" + "---|" * max(1, len(rows[0])))
        return "\n".join(lines)

    def details(self, block: _Object, depth: int) -> str:
        return f"{self.text(block.get('summary'), depth)}\n\n{self.blocks(block.get('blocks'), depth)}"

    def _cell(self, cell: Json, depth: int) -> str:
        words = self.text(cell.get("text"), depth) if isinstance(cell, dict) else ""
        return words.replace("\n", " ").replace("|", "\\|")


_BLOCKS: Mapping[str, Callable[[_Reader, _Object, int], str]] = {
    "heading": _Reader.heading,
    "pre": _Reader.code,
    "blockquote": _Reader.quote,
    "pullquote": _Reader.quote,
    "mathematical_expression": _Reader.formula,
    "list": _Reader.items,
    "table": _Reader.table,
    "details": _Reader.details,
    "divider": lambda _reader, _block, _depth: "---",
    "thinking": lambda _reader, _block, _depth: "",
    "anchor": lambda _reader, _block, _depth: "",
}
