"""Structured values as people read them (pure)."""

from __future__ import annotations

from collections.abc import Iterator

from parley.agent.stream.steps import title
from parley.core.model.types import Json

_MOST_LINES = 200
_MOST_LEVELS = 6
_LONGEST_NAME = 60


def render_value(value: Json) -> str:
    """A value as text: objects and lists as a list, with names as a person would write them."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    if isinstance(value, dict | list):
        lines: list[str] = []
        for line in _lines(value, 0):
            if len(lines) == _MOST_LINES:
                lines.append("…")
                break
            lines.append(line)
        return "\n".join(lines)
    return _plain(value)


def _lines(value: Json, level: int) -> Iterator[str]:
    indent = "  " * level
    if level == _MOST_LEVELS:
        yield f"{indent}- …"
        return
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _entry(f"{indent}- **{title(str(name)[:_LONGEST_NAME])}**:", each, level)
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _entry(f"{indent}-" if _flat(each) else f"{indent}- {number}.", each, level)


def _entry(head: str, value: Json, level: int) -> Iterator[str]:
    if _flat(value):
        yield f"{head} {_plain(value)}"
    else:
        yield head
        yield from _lines(value, level + 1)


def _flat(value: Json) -> bool:
    """Whether a value has its place on the line of its name."""
    if isinstance(value, list):
        return all(not isinstance(each, dict | list) and "\n" not in _plain(each) for each in value)
    return not isinstance(value, dict) or not value


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "–"
    return "–" if value is None or value == {} else str(value)
