"""What is wrong with a configuration, one line each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from parley.core.model.errors import ConfigError

Path: TypeAlias = "tuple[str | int, ...]"
"""Keys and list positions from the top of the file."""
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """`text` says what is wrong and what to write instead; `line` counts from 1, 0 when unknown.

    `also` are other places that it may come from.
    """

    path: Path
    text: str
    line: int = 0
    also: tuple[Path, ...] = ()

    def show(self, file: str) -> str:
        """`config.yaml:12: agent.url: ...`, one line whatever is quoted from the file."""
        place = f"{file}:{self.line}" if self.line else file
        where = ", ".join(format_path(path) for path in (self.path, *self.also) if path)
        return _one_line(f"{place}: {where}: {self.text}" if where else f"{place}: {self.text}")


def format_path(path: Path) -> str:
    """Return a path as people write it: `channels.telegram.allowed_users[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def _one_line(text: str) -> str:
    """Return the text, line breaks and what a terminal would obey by their codes, and not too long."""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in shown
    )


def to_config_error(file: str, mistakes: Iterable[ConfigProblem]) -> ConfigError:
    """Return all mistakes as one error, in the order of the file."""
    ordered = sorted(set(mistakes), key=lambda each: (each.line, format_path(each.path), each.text))
    return ConfigError("\n".join(mistake.show(file) for mistake in ordered))


def suggest(key: str, known: Sequence[str]) -> str:
    """Return what to write instead of an unknown key."""
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if near:
        return f'unknown key; did you mean "{near[0]}"?'
    return f"unknown key; known here: {', '.join(sorted(known))}" if known else "unknown key; remove it"
