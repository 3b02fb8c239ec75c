"""`$NAME`, `${NAME}` and `${NAME:-default}` become values of the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from parley.app.settings.parsing.problems import Path
from parley.core.model.types import Json

_VARIABLE = re.compile(
    r"\$(?:(?P<dollar>\$)|(?P<plain>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\})"
)


@dataclass(frozen=True, slots=True)
class UnsetVariable:
    """A variable without a value; `alone` when it is the whole of the value at `path`."""

    path: Path
    name: str
    alone: bool


@dataclass(slots=True)
class Expansion:
    """What came of a tree: an unset variable leaves "" behind and is listed."""

    tree: dict[str, Json] = field(default_factory=dict)
    unset: list[UnsetVariable] = field(default_factory=list)


def expand_variables(tree: Mapping[str, Json], environ: Mapping[str, str]) -> Expansion:
    """Replace every variable in every text of `tree`; `$$` is a dollar sign."""
    result = Expansion()

    def visit(value: Json, path: Path) -> Json:
        if isinstance(value, str):
            return _text(value, path, environ, result.unset)
        if isinstance(value, list):
            return [visit(entry, (*path, position)) for position, entry in enumerate(value)]
        if isinstance(value, dict):
            return {key: visit(entry, (*path, key)) for key, entry in value.items()}
        return value

    result.tree = {key: visit(value, (key,)) for key, value in tree.items()}
    return result


def variable_names(text: str) -> frozenset[str]:
    """Return the variables that a text refers to."""
    found = (match["plain"] or match["braced"] for match in _VARIABLE.finditer(text))
    return frozenset(name for name in found if name)


def _text(text: str, path: Path, environ: Mapping[str, str], unset: list[UnsetVariable]) -> str:
    def value(match: re.Match[str]) -> str:
        if match["dollar"]:
            return "$"
        name = match["plain"] or match["braced"]
        found = environ.get(name, "")
        if found or match["default"] is not None:
            return found or match["default"]
        unset.append(UnsetVariable(path, name, alone=match[0] == text.strip()))
        return ""

    return _VARIABLE.sub(value, text)
