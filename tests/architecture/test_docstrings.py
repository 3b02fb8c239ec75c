"""Docstrings name errors that exist: a renamed class leaves its old name behind."""

from __future__ import annotations

import ast
import builtins
import re

from tests.kit.checkout import modules, name, parsed

# Raised by libraries, and by Python, under names that no module of ours imports.
_OF_OTHERS = {"CancelledError", "ParseError"}
_RAISED = re.compile(r"[Rr]aises? ((?:[A-Z]\w+(?:, | and | or )?)+)")
_CLASS = re.compile(r"\b[A-Z]\w*[a-z]\w*")


def test_every_error_that_a_docstring_names_exists() -> None:
    known = {*dir(builtins), *_OF_OTHERS}
    said: list[tuple[str, str]] = []
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            elif isinstance(node, ast.ImportFrom):
                known |= {alias.name for alias in node.names}
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                named = " ".join(_RAISED.findall(ast.get_docstring(node) or ""))
                said += [(name(path), word) for word in _CLASS.findall(named)]
    assert said
    assert [each for each in said if each[1] not in known] == []
