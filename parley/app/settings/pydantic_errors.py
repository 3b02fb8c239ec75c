"""pydantic's errors in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from parley.app.settings.parsing.problems import ConfigProblem, Path, suggest
from parley.app.settings.parsing.renamed_keys import renamed_key
from parley.app.settings.parsing.yaml_tree import YamlTree
from parley.core.model.types import Json

_KINDS = {
    "int": 'a whole number, such as "100"',
    "float": 'a number, such as "2.5"',
    "bool": "true or false",
    "string": "text",
    "tuple": "a list, such as [a, b]",
    "list": "a list, such as [a, b]",
    "dict": 'a section of "key: value" lines',
    "model": 'a section of "key: value" lines',
    "mapping": 'a section of "key: value" lines',
}

_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


def translate_errors(
    error: ValidationError, model: type[BaseModel], source: YamlTree, at: Path = ()
) -> list[ConfigProblem]:
    """Return one mistake for each error of `model`, whose section stands at `at` in the file."""
    mistakes = []
    for detail in error.errors(include_url=False):
        path = _in_file((*at, *detail["loc"]), source.tree)
        if detail["type"] == "extra_forbidden":
            path = (*at, *detail["loc"])
            text = renamed_key(path) or suggest(str(path[-1]), _keys(model, detail["loc"][:-1]))
        else:
            text = _words(detail)
        mistakes.append(ConfigProblem(path, text, source.line(path)))
    return mistakes


def _in_file(path: Path, tree: Mapping[str, Json]) -> Path:
    """Return the part of a location that the file has: pydantic adds names of its own to the end."""
    node: Json = dict(tree)
    for depth, part in enumerate(path):
        if isinstance(node, dict) and str(part) in node:
            node = node[str(part)]
        elif isinstance(node, list) and isinstance(part, int) and part < len(node):
            node = node[part]
        else:
            return path if depth == len(path) - 1 else path[:depth]
    return path


def _words(detail: ErrorDetails) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    got = _shown(detail["input"])
    if kind == "missing":
        return "is needed; add it"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {context[name]}, not {got}"
    if kind == "literal_error":
        return f"must be one of {context['expected'].replace(chr(39), chr(34))}, not {got}"
    if kind == "string_too_short":
        return "must not be empty; write a value, or leave the line out"
    if kind == "value_error":
        return str(context["error"])
    if kind == "string_type" and isinstance(detail["input"], int | float):
        return "must be text; put it in quotes"
    wanted = _KINDS.get(kind.split("_")[0])
    return f"must be {wanted}, not {got}" if wanted else detail["msg"].lower()


def _yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: object) -> str:
    """Return a value as the person typed it, short; sections and lists by kind only."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 40 else f'"{value[:40]}..."'
    if isinstance(value, dict):
        return "a section"
    if isinstance(value, list | tuple):
        return "a list"
    return _yaml(value)


def _keys(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Return the keys of the section of `model` at `path`."""
    section: type[BaseModel] | None = model
    for part in path:
        field = section.model_fields.get(str(part)) if section else None
        if field is not None:
            section = _section(field.annotation)
    return list(section.model_fields) if section else []


def _section(annotation: object) -> type[BaseModel] | None:
    """Return the section model within a field's type, through dict and union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_section, get_args(annotation))), None)
