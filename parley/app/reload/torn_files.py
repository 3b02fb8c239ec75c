"""Files that an editor, a copy or a full disk left in the middle: half of a file may well be valid YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

FileTexts: TypeAlias = "Mapping[Path, str]"
"""What files say; those that are not there, or not text, say nothing."""


def read_texts(paths: Iterable[Path]) -> FileTexts:
    """Read the files that are there."""
    return {path: text for path in paths if (text := _read(path)) is not None}


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return None


def may_be_half(before: FileTexts, now: FileTexts) -> bool:
    """Return whether a file ends otherwise than before: its writer may not be at the end yet."""
    return any(_ending(text) != _ending(now.get(path, "")) for path, text in before.items())


def _ending(text: str) -> str:
    lines = text.rstrip("\r\n").rsplit("\n", 1)
    return f"{lines[-1]}{text.endswith(chr(10))}"


def find_torn(before: FileTexts, now: FileTexts) -> str:
    """Return where a file is surely not whole, and what to do about it; "" where none is."""
    problems = (_torn(path.name, text, now[path]) for path, text in before.items() if path in now)
    return next(filter(None, problems), "")


def _torn(name: str, before: str, now: str) -> str:
    if before.strip() and not now.strip():
        return f"{name}: is empty now; save it whole"
    lines = now.split("\n")
    last, known = lines[-1], before.split("\n")
    if last.strip() and before.endswith("\n") and last not in known and _begins_one(last, known):
        return (
            f"{name}:{len(lines)}: ends in the middle of a line; save it whole, or end it with a line break"
        )
    return ""


def _begins_one(last: str, known: Iterable[str]) -> bool:
    return any(line.startswith(last) for line in known)
