"""Changes of single values in YAML text: every other character stays, comments among them."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from parley.app.settings.parsing.yaml_tree import parse_yaml
from parley.core.model.errors import ConfigError
from parley.core.model.types import Json

_INDENT = 2


def set_value(text: str, path: Sequence[str], value: Json) -> str:
    """Return the text with `value` at `path`; sections that are missing are made.

    Raises ConfigError where the text has a form in which this cannot be done.
    """
    before = parse_yaml(text)
    if before.mistakes:
        raise ConfigError(before.mistakes[0].text)
    changed = _with_value(text, tuple(path), value)
    wanted = _with(before.tree, tuple(path), value)
    result = parse_yaml(changed)
    if result.mistakes or result.tree != wanted:
        raise ConfigError(f"{'.'.join(path)} cannot be changed for you; write it yourself: {_inline(value)}")
    return changed


def add_to_list(text: str, path: Sequence[str], entry: str) -> str:
    """Return the text with an entry more in the list at `path`, unless it is there. Raises ConfigError."""
    known: Json = parse_yaml(text).tree
    for key in path:
        known = known.get(key) if isinstance(known, dict) else None
    entries = known if isinstance(known, list) else [] if known is None else [known]
    if entry in map(str, entries):
        return text
    return set_value(text, path, [*entries, entry])


def _with(tree: dict[str, Json], path: tuple[str, ...], value: Json) -> dict[str, Json]:
    head, *rest = path
    if not rest:
        return {**tree, head: value}
    inner = tree.get(head)
    return {**tree, head: _with(inner if isinstance(inner, dict) else {}, tuple(rest), value)}


def _with_value(text: str, path: tuple[str, ...], value: Json) -> str:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    for depth, key in enumerate(path):
        if not isinstance(node, yaml.MappingNode):
            return _replace(text, node, depth, _nested(path[depth:], value))
        child = _child(node, key)
        if child is None:
            return _insert(text, node, path[depth:], value)
        node = child
    return _replace(text, node, len(path), value)


def _child(node: yaml.MappingNode, key: str) -> yaml.Node | None:
    return next((each for name, each in node.value if name.value == key), None)


def _nested(path: tuple[str, ...], value: Json) -> dict[str, Json]:
    *outer, last = path
    tree: dict[str, Json] = {last: value}
    for key in reversed(outer):
        tree = {key: tree}
    return tree


def _insert(text: str, node: yaml.MappingNode, path: tuple[str, ...], value: Json) -> str:
    """Put a new key before the first of a section; in one of braces behind the last."""
    if node.flow_style:
        inside = text[node.start_mark.index : node.end_mark.index]
        new = _inline(_nested(path, value))[1:-1]
        joined = f"{{{new}}}" if not node.value else f"{inside.rstrip()[:-1].rstrip().rstrip(',')}, {new}}}"
        return text[: node.start_mark.index] + joined + text[node.end_mark.index :]
    first = node.start_mark
    lines = "\n".join(_lines(_nested(path, value), first.column))
    if first.column == 0:
        return f"{text.rstrip()}\n\n{lines}\n"
    start = first.index - first.column
    return f"{text[:start]}{lines}\n{text[start:]}"


def _replace(text: str, node: yaml.Node | None, depth: int, value: Json) -> str:
    if node is None:
        tree = "\n".join(_lines(value, 0)) if isinstance(value, dict) else _inline(value)
        return f"{text.rstrip()}\n{tree}\n".lstrip()
    start, end = node.start_mark.index, _end(node)
    empty = start == end
    if isinstance(value, dict):
        tree = "\n".join(_lines(value, depth * _INDENT))
        return f"{text[:start].rstrip(' ')}\n{tree}{text[end:]}"
    return (
        f"{text[:start]}{' ' if empty and not text[:start].endswith(' ') else ''}{_inline(value)}{text[end:]}"
    )


def _end(node: yaml.Node) -> int:
    """Return where a node's last word ends: the mark of a block lies behind the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _lines(tree: dict[str, Json], column: int) -> list[str]:
    lines = []
    for key, value in tree.items():
        name = f"{' ' * column}{_inline(key)}:"
        if isinstance(value, dict) and value:
            lines += [name, *_lines(value, column + _INDENT)]
        else:
            lines.append(f"{name} {_inline(value)}")
    return lines


def _inline(value: Json) -> str:
    dumped: str = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10**6
    )
    return dumped.removesuffix("\n").removesuffix("\n...")
