"""Docstrings name errors and modules that exist: what is renamed leaves its old name behind."""

from __future__ import annotations

import ast
import builtins
import re
import tokenize
from pathlib import Path

from tests.kit.checkout import dotted, modules, name, parsed

# Raised by libraries, and by Python, under names that no module of ours imports.
_OF_OTHERS = {"CancelledError", "ParseError"}
_RAISED = re.compile(r"[Rr]aises? ((?:[A-Z]\w+(?:, | and | or )?)+)")
_TOP = {"agent", "app", "channels", "client", "console", "core", "feedback", "memory", "server", "store"}
# Settings stand in backticks, or before a colon.
_MODULE = re.compile(rf"(?<![\w./`'\"])((?:{'|'.join(sorted(_TOP))})(?:\.[a-z_]{{2,}})+)(?![\w(=\[:])")
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


def test_every_module_that_prose_names_exists() -> None:
    known = {dotted(path).removeprefix("parley.") for path in modules()}
    known |= {package.rpartition(".")[0] for package in known}
    said = [(name(path), word) for path in modules() for word in _MODULE.findall(_prose(path))]
    assert said
    assert [each for each in said if not {each[1], each[1].rpartition(".")[0]} & (known - _TOP)] == []


def _prose(path: Path) -> str:
    """Return the comments and the docstrings of a module."""
    with tokenize.open(path) as file:
        tokens = list(tokenize.generate_tokens(file.readline))
    return "\n".join(
        token.string
        for token in tokens
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string[:3] == '"""')
    )
