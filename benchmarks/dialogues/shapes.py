"""What the data sets have in common: turns of long conversations, and questions about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.recall.evidence import UnreadableFile
from parley.memory.inject.lines import flatten
from parley.memory.model.document import Fact


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the ids of the turns that answer it; `asked_on` is its date, where there is one."""

    text: str
    kind: str
    evidence: frozenset[str]
    answer: str
    asked_on: str = ""


@dataclass(frozen=True, slots=True)
class LongDialogue:
    """The turns of somebody's conversations, oldest first, and what is asked about them.

    A turn is a fact: its subject is who spoke, and its source the session.
    """

    turns: tuple[Fact, ...]
    questions: tuple[AskedQuestion, ...]


def spoken_turn(name: str, session: str, day: str, speaker: str, text: str) -> Fact | None:
    """Return a turn in one line; None where nothing visible was said."""
    said = flatten(text)
    if not said:
        return None
    return Fact(name, said, created_at=f"{day}T12:00:00Z", source=session, subject=speaker)


def read_list(path: Path, read: Callable[[Any], LongDialogue]) -> list[LongDialogue]:
    """Read each entry of a JSON list. Raises UnreadableFile, which names the entry."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path}: no JSON: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise UnreadableFile(f"{path}: no list of entries")
    found = []
    for place, entry in enumerate(entries):
        try:
            found.append(read(entry))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise UnreadableFile(f"{path}: entry {place} cannot be read: {error!r}") from error
    return found
