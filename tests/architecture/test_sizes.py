"""Modules and functions stay small enough to be read in one go."""

import ast

from tests.kit.checkout import modules, name, parsed

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def lines(path):
    return len(path.read_text("utf-8").splitlines())


def length(function):
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def test_no_module_is_longer_than_300_lines():
    assert {name(path): lines(path) for path in modules() if lines(path) > 300} == {}


def test_no_test_file_is_longer_than_500_lines():
    assert {name(path): lines(path) for path in modules("tests") if lines(path) > 500} == {}


def test_no_function_is_longer_than_40_lines():
    long = {}
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, FUNCTIONS) and length(node) > 40:
                long[f"{name(path)}:{node.lineno} {node.name}"] = length(node)
    assert long == {}
