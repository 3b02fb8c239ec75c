"""What a recording may say as it is: the words of a platform, which no person and no secret can have put in.

They are the texts in our own source of a platform's channel and simulator, and the names of fields that its
vendor documents (`fields/PLATFORM.txt`). Both are public, and were written before anybody recorded anything.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from parley.app.settings.channel_registry import channel_package

_NAME = re.compile(r"[A-Za-z_][\w.-]{0,79}\Z")
_LONGEST = 200
_PERSON = "operator.py"
"""Says what a person says, not a platform."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`names` are those of fields, `words` the values of fields of a kind, `segments` parts of a path."""

    names: frozenset[str]
    words: frozenset[str]
    segments: frozenset[str]


@cache
def read_vocabulary(platform: str) -> Vocabulary:
    """Return the words of a platform."""
    words: set[str] = set()
    for package in (channel_package(platform), f"parley.simulator.{platform}"):
        for file in _sources(package):
            words |= set(_texts(ast.parse(file.read_text("utf-8"))))
    documented = set(_documented_fields(platform))
    segments = {part for word in words for part in re.split(r"[/?]", word)} | documented
    return Vocabulary(
        names=frozenset({word for word in words if _NAME.match(word)} | documented),
        words=frozenset(word for word in words if len(word) <= _LONGEST),
        segments=frozenset(part for part in segments if _NAME.match(part)),
    )


def _sources(package: str) -> Iterator[Path]:
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        return
    for place in (found.submodule_search_locations or ()) if found is not None else ():
        yield from sorted(file for file in Path(place).rglob("*.py") if file.name != _PERSON)


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in a module, and the names that become fields of what is sent."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _documented_fields(platform: str) -> Iterator[str]:
    file = files("parley.app.live") / "fields" / f"{platform}.txt"
    if file.is_file():
        yield from file.read_text("utf-8").split()
