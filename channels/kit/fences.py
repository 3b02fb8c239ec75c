"""Code blocks in markdown: where they begin and end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MARGIN = 64
"""Parts smaller than this have no room for closing and reopening code blocks."""

_FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: offsets of its opening line, its code, its closing line (or the end), and after it."""

    start: int
    body: int
    close: int
    end: int
    indent: str
    marker: str
    info: str


def fences(text: str, longest: int) -> tuple[Fence, ...]:
    """The fenced blocks of a text in order; one that is never closed reaches to the end.

    Fences of more than `longest` bytes are left out: they are somebody's joke, and cannot be repeated.
    """
    found: list[Fence] = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            if "`" not in match[3] or match[2][0] == "~":
                opened = match
        elif match[2].startswith(opened[2]) and not match[3].strip():
            found.append(_fence(text, opened, match.start(), min(len(text), match.end() + 1)))
            opened = None
    if opened is not None:
        found.append(_fence(text, opened, len(text), len(text)))
    return tuple(block for block in found if len((block.indent + block.marker).encode()) <= longest)


def _fence(text: str, opened: re.Match[str], close: int, end: int) -> Fence:
    body = min(len(text), opened.end() + 1)
    return Fence(opened.start(), body, close, end, opened[1], opened[2], opened[3])


def reopened(fence: Fence, limit: int, measure: Callable[[str], int]) -> str:
    """The line that opens a fence again, without its language where that would take much of `limit`."""
    line = f"{fence.indent}{fence.marker}{fence.info}\n"
    return line if measure(line) <= limit // 4 else f"{fence.indent}{fence.marker}\n"
