"""Tables for readers whose markdown has none."""

from __future__ import annotations

import re

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*\Z")
_BAR = re.compile(r"(?<!\\)\|")


def as_list(text: str) -> str:
    """The text with each row of its tables as a list item: every cell behind its column's name."""
    lines = text.split("\n")
    shown: list[str] = []
    at = 0
    while at < len(lines):
        end = _end(lines, at)
        shown += lines[at : at + 1] if end == at else _items(lines[at], lines[at + 2 : end])
        at = max(end, at + 1)
    return "\n".join(shown)


def _end(lines: list[str], at: int) -> int:
    """Where the table that begins here ends; `at` itself when none does."""
    if at + 1 >= len(lines) or "|" not in lines[at] or "|" not in lines[at + 1]:
        return at
    if not _RULE.match(lines[at + 1]) or len(_cells(lines[at])) != len(_cells(lines[at + 1])):
        return at
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end


def _items(head: str, rows: list[str]) -> list[str]:
    names = _cells(head)
    if not rows:
        return [f"- {' · '.join(names)}"]
    return ["", *(f"- {_item(names, _cells(row))}" for row in rows), ""]


def _item(names: list[str], cells: list[str]) -> str:
    """One row; a cell more than there are columns stands alone, and so does the name of an empty one."""
    count = max(len(names), len(cells))
    pairs = zip(names + [""] * (count - len(names)), cells + [""] * (count - len(cells)), strict=True)
    return " · ".join(f"{name}: {cell}" if name and cell else name or cell for name, cell in pairs)


def _cells(line: str) -> list[str]:
    inner = line.strip()
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]
