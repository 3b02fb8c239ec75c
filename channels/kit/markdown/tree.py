"""A text's blocks, and the runs of words in them, as small values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal["bold", "italic", "struck", "code"]
"""How words are set."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words set alike; with an `address` they are a link's or stand for a picture. "\\n" is a line's end."""

    text: str
    marks: frozenset[Mark] = frozenset()
    address: str = ""


TextRuns: TypeAlias = tuple[TextRun, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words."""

    runs: TextRuns


@dataclass(frozen=True, slots=True)
class Heading:
    """Words over what follows; `level` 1 is the highest, 6 the lowest."""

    level: int
    runs: TextRuns


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A block of code, without a last line's end; `language` is "" where none is named."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class ThematicBreak:
    """A line between what is before and after."""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """Rows of cells below the head's; all have as many cells as the head."""

    head: tuple[TextRuns, ...]
    rows: tuple[tuple[TextRuns, ...], ...]


@dataclass(frozen=True, slots=True)
class BlockQuote:
    """What somebody else said."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ListItem:
    """One of a list; `box` is "x" or " " where it is a task, done or open."""

    blocks: tuple[Block, ...]
    box: str = ""


@dataclass(frozen=True, slots=True)
class ListBlock:
    """A list, numbered from `first` on where `numbered`."""

    items: tuple[ListItem, ...]
    numbered: bool = False
    first: int = 1


Block: TypeAlias = Paragraph | Heading | CodeBlock | ThematicBreak | TableBlock | BlockQuote | ListBlock


def plain_text(runs: TextRuns) -> str:
    """Return the runs' text alone."""
    return "".join(run.text for run in runs)
