"""YAML text as a plain tree that remembers the line of every key."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import yaml

from parley.app.settings.parsing.problems import ConfigProblem, Path
from parley.app.settings.parsing.yaml_bounds import find_excess
from parley.core.model.types import Json

_MOST_BITS = 1_024
_QUICK: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Ten times as fast, where PyYAML was built with libyaml."""
_READ_IN_TWO_WAYS = ("\t", "\ufeff", "!")
"""The two loaders do not agree on these: a file with one of them is read by the slower one alone."""


@dataclass(frozen=True, slots=True)
class YamlTree:
    """A file's values, the line of each path, and what is wrong with its form."""

    tree: dict[str, Json]
    lines: dict[Path, int] = field(default_factory=dict)
    mistakes: tuple[ConfigProblem, ...] = ()

    def line(self, path: Path) -> int:
        """Return the line of `path`, or of the nearest section around it; 0 when there is none."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)


def parse_yaml(text: str) -> YamlTree:
    """Read YAML. Keys become text; a key without a value is left out, so that its default holds."""
    if not any(each in text for each in _READ_IN_TWO_WAYS):
        with suppress(yaml.YAMLError, UnicodeEncodeError):
            found = _parse(text, _QUICK)
            if not found.mistakes:
                return found
    try:
        return _parse(text, yaml.SafeLoader)  # It says better what is wrong.
    except yaml.MarkedYAMLError as error:
        return YamlTree({}, mistakes=(_syntax(error),))
    except yaml.YAMLError as error:
        return YamlTree(
            {}, mistakes=(ConfigProblem((), f"not readable as text: {' '.join(str(error).split())}"),)
        )


def _parse(text: str, loader: type[yaml.SafeLoader]) -> YamlTree:
    """Read YAML with one of the two loaders. Raises yaml.YAMLError."""
    if mistake := find_excess(text, loader):
        return YamlTree({}, mistakes=(mistake,))
    return _read(yaml.compose(text, Loader=loader))


def _read(root: yaml.Node | None) -> YamlTree:
    if root is None:
        return YamlTree({})
    if not isinstance(root, yaml.MappingNode):
        return YamlTree(
            {}, mistakes=(ConfigProblem((), 'must be "key: value" lines', root.start_mark.line + 1),)
        )
    reader = _Reader()
    tree = reader.mapping(root, ())
    return YamlTree(tree, reader.lines, tuple(reader.mistakes))


def _syntax(error: yaml.MarkedYAMLError) -> ConfigProblem:
    mark = error.problem_mark or error.context_mark
    problem = " ".join((error.problem or error.context or "not YAML").split())
    if "'\\t'" in problem:
        problem = "a tab is used for indentation; use spaces"
    elif "mapping values are not allowed" in problem:
        problem = 'a ":" where none may be; check the indentation, or put the value in quotes'
    elif "'<stream end>'" in problem or "unexpected end of stream" in problem:
        problem = "the file ends inside a bracket or a quoted text; close it"
    where = f" (column {mark.column + 1})" if mark else ""
    return ConfigProblem((), f"not valid YAML{where}: {problem}", mark.line + 1 if mark else 0)


# Where a key is a name that counts without a value; elsewhere an empty key is one that is not there.
_NAMES: frozenset[Path] = frozenset({("memory", "categories"), ("memory", "topics")})


class _Reader:
    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.mistakes: list[ConfigProblem] = []
        self._scalars = yaml.SafeLoader("")
        self._open: set[int] = set()

    def mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Json]:
        tree: dict[str, Json] = {}
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.mistakes.append(ConfigProblem(path, "a key must be a word", line))
                continue
            key = str(key_node.value)
            here: Path = (*path, key)
            if key in first:
                text = f"is here twice (first in line {first[key]}); keep one"
                self.mistakes.append(ConfigProblem(here, text, line))
                continue
            first[key] = self.lines[here] = line
            value = self._value(value_node, here)
            if value is None and path in _NAMES:
                value = ""
            if value is not None:
                tree[key] = value
        return tree

    def _value(self, node: yaml.Node, path: Path) -> Json:
        if id(node) in self._open:
            self.mistakes.append(
                ConfigProblem(path, "refers to itself; write the value out", self.lines.get(path, 0))
            )
            return None
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, path)
            if isinstance(node, yaml.SequenceNode):
                return self._sequence(node, path)
            return self._scalar(node, path)
        finally:
            self._open.discard(id(node))

    def _sequence(self, node: yaml.SequenceNode, path: Path) -> Json:
        values: list[Json] = []
        for position, child in enumerate(node.value):
            here: Path = (*path, position)
            self.lines[here] = child.start_mark.line + 1
            values.append(self._value(child, here))
        return values

    def _scalar(self, node: yaml.Node, path: Path) -> Json:
        try:
            value: object = self._scalars.construct_object(node, deep=True)
            if isinstance(value, int) and value.bit_length() > _MOST_BITS:
                raise ValueError("too large a number")
        except (yaml.YAMLError, ValueError, LookupError, AttributeError):
            line = node.start_mark.line + 1
            self.mistakes.append(ConfigProblem(path, f"cannot be read ({node.tag}); put it in quotes", line))
            return None
        if value is None or isinstance(value, bool | int | float | str):
            return value
        return str(node.value)  # dates and the like stay what the person typed
