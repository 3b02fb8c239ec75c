"""YAML text gets the keys that another text has and it lacks, with their comments; every line of it stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import yaml

KeyPath: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True, slots=True)
class MissingKey:
    """A key with its lines, `column` to the right, and before which line (from 0) of the text it belongs."""

    path: KeyPath
    lines: tuple[str, ...]
    column: int
    before: int


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of a key with its value; `first` counts the comments above it, `key` does not."""

    first: int
    key: int
    end: int
    value: yaml.Node


def missing_keys(text: str, whole: str) -> tuple[MissingKey, ...]:
    """Return what `text` lacks of `whole`, in this one's order; sections in braces are left as they are."""
    given, complete = _compose(text), _compose(whole)
    if given is None or complete is None:
        return ()
    texts = (text.splitlines(), whole.splitlines())
    return tuple(_missing(texts, given, complete, ()))


def insert_keys(text: str, missing: Sequence[MissingKey]) -> str:
    """Return the text with these keys."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    out: list[str] = []
    for number in range(len(lines) + 1):
        for key in missing:
            if key.before == number:
                new = key.lines if out or key.lines[0] else key.lines[1:]
                out += [f"{' ' * key.column if line else ''}{line}{end}" for line in new]
        out += lines[number : number + 1]
    return "".join(out)


def cut_key(text: str, path: KeyPath) -> tuple[str, tuple[str, ...]]:
    """Return the text without a key, and the key's lines with the comments above it; none where it is not."""
    block, lines = _find(text, path), text.splitlines(keepends=True)
    if block is None:
        return text, ()
    return "".join(lines[: block.first] + lines[block.end :]), _cut(text.splitlines(), block, path)


def replace_key(text: str, path: KeyPath, new: Sequence[str]) -> str:
    """Return the text with other lines for a key that it has."""
    block, lines = _find(text, path), text.splitlines(keepends=True)
    if block is None or not new:
        return text
    key = lines[block.key]
    margin, end = key[: len(key) - len(key.lstrip())], key[len(key.rstrip("\r\n")) :]
    return "".join([*lines[: block.first], *(f"{margin}{line}{end}" for line in new), *lines[block.end :]])


def _find(text: str, path: KeyPath) -> _Block | None:
    node, lines, block = _compose(text), text.splitlines(), None
    for key in path:
        block = None if node is None else _blocks(node, lines).get(key)
        node = None if block is None else _section(block.value)
    return block


def _compose(text: str) -> yaml.MappingNode | None:
    return _section(yaml.compose(text, Loader=yaml.SafeLoader))


def _section(node: yaml.Node | None) -> yaml.MappingNode | None:
    """Return a node that is a section of indented lines."""
    return node if isinstance(node, yaml.MappingNode) and not node.flow_style else None


def _missing(
    texts: tuple[Sequence[str], Sequence[str]],
    given: yaml.MappingNode,
    whole: yaml.MappingNode,
    path: KeyPath,
) -> Iterator[MissingKey]:
    lines, shipped = texts
    here, there = _blocks(given, lines), _blocks(whole, shipped)
    column = given.start_mark.column
    before = _beginning(here, lines)
    for key, block in there.items():
        if key not in here:
            yield MissingKey((*path, key), _cut(shipped, block, path), column, before)
            continue
        before = here[key].end
        below, inner = _section(block.value), here[key].value
        if below is not None and _is_empty(inner):
            for name, each in _blocks(below, shipped).items():
                yield MissingKey((*path, key, name), _cut(shipped, each, (*path, key)), column + 2, before)
        elif below is not None and (section := _section(inner)) is not None:
            yield from _missing(texts, section, below, (*path, key))


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null" and not node.value


def _beginning(blocks: Mapping[str, _Block], lines: Sequence[str]) -> int:
    """Return the line before which a section's first key belongs: below what heads the file."""
    first = next(iter(blocks.values()))
    return first.key if first.first == 0 and lines[0].lstrip().startswith("#") else first.first


def _cut(lines: Sequence[str], block: _Block, path: KeyPath) -> tuple[str, ...]:
    """Return a key's lines without their indentation; a section of the top keeps its distance."""
    margin = len(lines[block.key]) - len(lines[block.key].lstrip())
    apart = ("",) if not path and block.first and not lines[block.first - 1].strip() else ()
    return (*apart, *(line[margin:] for line in lines[block.first : block.end]))


def _blocks(node: yaml.MappingNode, lines: Sequence[str]) -> Mapping[str, _Block]:
    found: dict[str, _Block] = {}
    least = 0
    for name, value in node.value:
        key = name.start_mark.line
        first = key
        while first > least and _is_comment(lines[first - 1], name.start_mark.column):
            first -= 1
        least = max(_last_line(value), key) + 1
        least = _with_continued_comment(lines, least, name.start_mark.column)
        found[str(name.value)] = _Block(first, key, least, value)
    return found


def _is_comment(line: str, column: int) -> bool:
    return line.startswith(f"{' ' * column}#")


def _with_continued_comment(lines: Sequence[str], end: int, column: int) -> int:
    """Return the end of a value whose comment goes on below it, further to the right."""
    while end < len(lines) and (text := lines[end].lstrip()).startswith("#"):
        if len(lines[end]) - len(text) <= column:
            break
        end += 1
    return end


def _last_line(node: yaml.Node) -> int:
    """Return the last line of a node: the mark of a section lies behind the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    end = node.end_mark
    return int(end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line)
