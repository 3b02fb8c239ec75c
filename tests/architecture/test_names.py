"""Each name means one thing and stands in one place, and a folder can be looked over at a glance."""

import ast
from collections import Counter, defaultdict

from tests.e2e.other_engines import ALIKE, QUESTIONS
from tests.kit.checkout import PACKAGES, ROOT, modules, modules_with, name, parsed

MOST_MODULES = 15
PRODUCT = ("channels", "memory", "parley")
SEVERAL = {
    "Config": "each channel's settings, which parley/app/settings/channel_registry.py finds by this name",
}
"""Class names that several modules may define, and why."""


def test_no_folder_has_more_than_15_modules():
    counts = Counter(name(path.parent) for path in modules(*PACKAGES, "tests") if path.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_each_public_class_name_stands_once():
    homes = defaultdict(list)
    for path in modules(*PRODUCT):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name(path))
    several = {each: places for each, places in homes.items() if len(places) > 1}
    assert {each: places for each, places in several.items() if each not in SEVERAL} == {}
    assert set(SEVERAL) - set(several) == set(), "these stand once and need no exception"


def test_no_module_hands_on_what_another_defines():
    """`import X as X` says that others take it from here: a definition has one owner."""
    handed_on = [
        f"{name(path)}:{node.lineno}: {each.name}"
        for path in modules_with(r"\b(\w+) as \1\b", *PACKAGES, "tests")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
        if each.asname == each.name
    ]
    assert handed_on == []


def test_tests_kit_imports_no_folder_of_tests():
    """Every folder may use the kit, so it uses none of them."""
    wrong = [
        f"{name(path)}:{node.lineno}: {node.module}"
        for path in modules("tests/kit")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tests.")
        if not node.module.startswith("tests.kit")
    ]
    assert wrong == []


def test_what_other_engines_leave_to_the_full_edition_exists():
    assert [path for path in (*ALIKE, QUESTIONS) if not (ROOT / path).exists()] == []
