"""Bounds of a YAML file: before it is read, for a few lines can stand for more values than fit anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from parley.app.settings.parsing.problems import ConfigProblem

MAX_CHARS = 1_000_000
MAX_VALUES = 50_000
"""Keys and values, each alias (*name) counted as all that it stands for."""

MAX_LEVELS = 50


@dataclass(slots=True)
class _Open:
    """A section that has begun: its anchor, and the values in it so far."""

    anchor: str | None
    values: int = 1


def find_excess(text: str, loader: type[yaml.SafeLoader] = yaml.SafeLoader) -> ConfigProblem | None:
    """Return what is too much in `text`, with its line. Raises yaml.YAMLError."""
    if len(text) > MAX_CHARS:
        return ConfigProblem((), f"has {len(text):,} characters; {MAX_CHARS:,} are read at most")
    sizes: dict[str, int] = {}
    levels = [_Open(None)]
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            levels.append(_Open(event.anchor))
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = levels.pop()
            _add(sizes, levels, closed.anchor, closed.values)
        elif isinstance(event, yaml.AliasEvent):
            levels[-1].values += sizes.get(event.anchor or "", 1)
        elif isinstance(event, yaml.ScalarEvent):
            _add(sizes, levels, event.anchor, 1)
        if mistake := _too_much(levels, event):
            return mistake
    return None


def _add(sizes: dict[str, int], levels: list[_Open], anchor: str | None, values: int) -> None:
    levels[-1].values += values
    if anchor:
        sizes[anchor] = values


def _too_much(levels: list[_Open], event: yaml.Event) -> ConfigProblem | None:
    line = event.start_mark.line + 1 if event.start_mark else 0
    if len(levels) > MAX_LEVELS + 1:
        return ConfigProblem(
            (), f"sections stand more than {MAX_LEVELS} deep within each other; indent less", line
        )
    if levels[-1].values > MAX_VALUES:
        text = f"stands for more than {MAX_VALUES:,} values; write fewer aliases (*name)"
        return ConfigProblem((), text, line)
    return None
