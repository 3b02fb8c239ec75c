"""The names that a module defines."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.kit.checkout import parsed


def definitions(path: Path) -> set[str]:
    """Return the names that a module defines, methods and fields of classes with their class."""
    found = set()
    for node in parsed(path).body:
        found |= _names(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner}" for each in node.body for inner in _names(each)}
    return found


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
