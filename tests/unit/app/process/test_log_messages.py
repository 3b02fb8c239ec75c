"""A message of the log is a constant: what is filled in comes as arguments, which no support bundle has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.kit.checkout import ROOT

METHODS = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log"})
PACKAGES = ("parley", "channels", "memory")


def variable_messages(source: str) -> Iterator[int]:
    """The lines on which a message of the log is put together."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, method = node.func.value, node.func.attr
        if method in METHODS and isinstance(owner, ast.Name) and owner.id in ("log", "logger"):
            message = node.args[1 if method == "log" else 0]
            named = isinstance(message, ast.Name) and message.id.isupper()
            if not (named or isinstance(message, ast.Constant)):
                yield node.lineno


def test_every_message_of_the_log_is_a_constant() -> None:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    assert len(files) > 500
    found = [f"{file}:{line}" for file in files for line in variable_messages(file.read_text("utf-8"))]
    assert found == []


def test_a_message_that_is_put_together_is_found() -> None:
    source = 'log.info("%s", x)\nlog.info(f"{x}")\nlog.log(1, "a" + x)\nlog.error(x)\nlog.info(CONSTANT)\n'
    assert [*variable_messages(source)] == [2, 3, 4]
