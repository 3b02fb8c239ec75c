"""The abilities that are documented for the built-in agent have the tests that are said to show them."""

from __future__ import annotations

import ast

from tests.e2e.built_in.abilities import ABILITIES, PART, TESTS, table


def test_the_documented_abilities_are_the_tested_ones() -> None:
    PART.check(table())


def test_every_test_of_an_ability_is_there() -> None:
    for ability in ABILITIES:
        assert ability.sentence.endswith(".")
        assert ability.tests()
        for test in ability.tests():
            file, _, name = test.partition("::")
            tree = ast.parse((TESTS / file).read_text("utf-8"))
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            assert name in {each.name for each in tree.body if isinstance(each, functions)}, test
