"""Every compiled pattern of Parley that text from outside can reach, and how each is used.

Found are patterns of modules (also within tuples, mappings, dataclasses and classes), patterns that functions
write out in a call of `re`, and those that functions put together, of which each needs an example here.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache

from parley.memory.text.lazy_pattern import LazyPattern
from tests.kit.checkout import ROOT, parsed

_OF_PARLEY = ("agent", "app", "console", "core", "server", "store")
PACKAGES = (*(f"parley/{name}" for name in _OF_PARLEY), "channels", "memory")
"""All but the simulators and the benchmarks, which only tests and their own texts reach."""
FUNCTIONS = {"compile", "match", "fullmatch", "search", "split", "findall", "finditer", "sub", "subn"}
_DEEPEST = 5
_ANCHORED = ("match", "fullmatch", "search")

# Patterns of containers are used through another name: this is how.
USED = {
    "parley.memory.learning.extraction.rules:RULES": ("fullmatch",),
    "parley.memory.learning.extraction.rules:WHOLE": ("fullmatch",),
    "parley.server.demo.intents:_INTENTS": ("search",),
    "parley.store.postgres.database.error_mapping:_BY_TEXT": ("search",),
}


@dataclass(frozen=True)
class Reachable:
    """A pattern, where it stands, and how it is used: names of methods."""

    place: str
    pattern: str | bytes
    flags: int
    uses: tuple[str, ...]


@cache
def names() -> tuple[str, ...]:
    """Return the names of all modules of the packages."""
    return tuple(
        found.name
        for package in PACKAGES
        for found in pkgutil.walk_packages(
            [str(ROOT / package)], f"parley.{package.removeprefix('parley/')}."
        )
        if not found.name.endswith("__main__")
    )


def of_module(name: str) -> Iterator[Reachable]:
    """Yield the patterns that a module holds, but for those that it takes from another."""
    module, uses, taken = importlib.import_module(name), _uses_in(name), set(_taken_by(name))
    seen: set[int] = set()
    for variable, value in vars(module).items():
        if variable in taken or (isinstance(value, type) and value.__module__ != name):
            continue
        for place, pattern in _within(value, f"{name}:{variable}"):
            if id(pattern) not in seen:
                seen.add(id(pattern))
                used = USED.get(f"{name}:{variable}") or uses.get(variable) or ("finditer",)
                yield Reachable(place, pattern.pattern, pattern.flags, used)


def _within(value: object, place: str, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, LazyPattern):
        value = value.compiled
    if isinstance(value, re.Pattern):
        yield place, value
    elif depth < _DEEPEST:
        for name, each in _parts(value):
            yield from _within(each, f"{place}{name}", depth + 1)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, tuple | list | frozenset | set):
        yield from ((f"[{number}]", each) for number, each in enumerate(value))
    elif isinstance(value, Mapping):
        yield from ((f"[{key!r}]", each) for key, each in list(value.items()))
    elif isinstance(value, type):
        kinds = (re.Pattern, tuple, Mapping)
        yield from ((f".{name}", each) for name, each in list(vars(value).items()) if isinstance(each, kinds))
    elif is_dataclass(value):
        yield from ((f".{field.name}", getattr(value, field.name, None)) for field in fields(value))


def _uses_in(module: str) -> dict[str, tuple[str, ...]]:
    """How the module's names are used, where that is by calls of their methods only."""
    tree = _tree(module)
    used: dict[str, set[str]] = {}
    bases = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.setdefault(node.value.id, set()).add(node.attr)
            bases.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in bases:
            used[node.id] = {"finditer"}
    for name in _exported():
        used.pop(name, None)
    return {name: _as_called(methods) for name, methods in used.items()}


def _as_called(methods: set[str]) -> tuple[str, ...]:
    found = [each for each in _ANCHORED if each in methods]
    return (*found, "finditer") if methods - {*_ANCHORED} else tuple(found)


@cache
def _exported() -> frozenset[str]:
    """Names in capitals that one module takes from another."""
    return frozenset(name for module in names() for name in _taken_by(module) if name.isupper())


def _taken_by(module: str) -> Iterator[str]:
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield from (each.asname or each.name for each in node.names)


def in_functions(module: str) -> Iterator[Reachable]:
    """Yield the patterns that stand in a call of `re` within a function of a module."""
    for place, call in _calls(module):
        pattern = call.args[0]
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str | bytes):
            yield Reachable(place, pattern.value, _flags(call), _method(call))


def put_together(module: str) -> Iterator[str]:
    """Yield where a module's functions make a pattern, and how that is written."""
    for place, call in _calls(module):
        if not isinstance(call.args[0], ast.Constant):
            yield f"{place}: {ast.unparse(call.args[0])}"


def _calls(module: str) -> Iterator[tuple[str, ast.Call]]:
    for function in ast.walk(_tree(module)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for call in filter(_is_of_re, ast.walk(function)):
                yield f"{module}:{function.name}", call  # type: ignore[misc]


def _is_of_re(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    owner = node.func.value
    return isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in FUNCTIONS


def _method(call: ast.Call) -> tuple[str, ...]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return (name,) if name in _ANCHORED else ("finditer",)


def _flags(call: ast.Call) -> int:
    """The flags that a call names, wherever they stand."""
    found = 0
    for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords)):
        for node in ast.walk(argument):
            flag = getattr(re, node.attr, 0) if isinstance(node, ast.Attribute) else 0
            found |= flag if isinstance(flag, re.RegexFlag) else 0
    return found


@cache
def _tree(module: str) -> ast.Module:
    path = ROOT / module.replace(".", "/")
    return parsed(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
