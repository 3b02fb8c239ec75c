"""A text's blocks, and the runs of words in them, as small values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal["bold", "italic", "struck", "code"]
"""How words are set."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words set alike; with an `address` they are a link's or stand for a picture. "\\n" is a line's end."""

    text: str
    marks: frozenset[Mark] = frozenset()
    address: str = ""


Runs: TypeAlias = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class Heading:
    """Words over what follows; `level` 1 is the highest, 6 the lowest."""

    level: int
    runs: Runs


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code, without a last line's end; `language` is "" where none is named."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between what is before and after."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below the head's; all have as many cells as the head."""

    head: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody else said."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One of a list; `box` is "x" or " " where it is a task, done or open."""

    blocks: tuple[Block, ...]
    box: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, numbered from `first` on where `numbered`."""

    items: tuple[Item, ...]
    numbered: bool = False
    first: int = 1


Block: TypeAlias = Paragraph | Heading | Code | Rule | Table | Quote | Listing


def words(runs: Runs) -> str:
    """The runs' text alone."""
    return "".join(run.text for run in runs)
