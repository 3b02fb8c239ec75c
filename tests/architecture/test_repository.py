"""What a newcomer relies on: documents, examples and folders agree with the code."""

import ast
import re

from parley.app.settings.parsing.variables import variable_names
from tests.kit.checkout import (
    PACKAGES,
    ROOT,
    SHIPPED,
    channel_folders,
    files,
    modules_with,
    name,
    parsed,
)

# Spelled apart, so that this file does not find itself.
INDEX = re.compile(
    r"--(extra-)?index-"
    r"url|--find-"
    r"links[= ]+[\"']?(/|\w+:)|/simp"
    r"le/|pypi\.or"
    r"g|/wh"
    r"eels"
)
# The web channel is its own server; there is nothing to simulate.
WITHOUT_SIMULATOR = {"web"}


def test_env_example_has_the_variables_of_the_configuration():
    example = (ROOT / ".env.example").read_text("utf-8")
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) == variable_names(SHIPPED.read_text("utf-8"))


def test_env_example_holds_no_values():
    example = (ROOT / ".env.example").read_text("utf-8")
    assert re.findall(r"^\w+=.+", example, re.MULTILINE) == []


def test_the_readme_lists_the_channels_that_there_are():
    readme = (ROOT / "README.md").read_text("utf-8")
    section = readme.split("## Channels", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([A-Z]\w+)[^|]*\|", section, re.MULTILINE)
    assert sorted(row.lower() for row in rows if row != "Channel") == channel_folders()


def test_every_channel_has_its_simulator():
    simulated = {
        folder.name
        for folder in (ROOT / "parley" / "simulator").iterdir()
        if (folder / "__init__.py").exists()
    }
    assert set(channel_folders()) - WITHOUT_SIMULATOR <= simulated


def test_every_package_says_what_it_is_in_one_sentence():
    packages = [init for package in PACKAGES for init in (ROOT / package).rglob("__init__.py")]
    wrong = {name(init) for init in packages if not is_sentence(ast.get_docstring(parsed(init)))}
    assert wrong == set()


def is_sentence(docstring):
    first = (docstring or "").split("\n\n")[0]
    return first.endswith(".") and len(re.findall(r"\.\s", first)) == 0


def test_no_file_names_a_package_index():
    found = set()
    for path in files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if INDEX.search(text):
            found.add(name(path))
    assert found == set()


def test_nothing_is_raised_inside_except_star():
    # Before Python 3.11.4 it comes out as a group: parley.core.model.errors.unwrap_exception_group.
    found = {
        f"{name(path)}:{inner.lineno}"
        for path in modules_with(r"\bexcept\s*\*", *PACKAGES, "tests")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.TryStar)
        for handler in node.handlers
        for inner in ast.walk(handler)
        if isinstance(inner, ast.Raise)
    }
    assert found == set()


def test_no_block_of_a_test_waits_for_ever_for_its_process():
    # tests.kit.bounded_process does not: a test that ran into its time limit hung in the block's end.
    found = {
        f"{name(path)}:{node.lineno}"
        for path in modules_with(r"\bPopen\(", "tests")
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.With, ast.AsyncWith))
        for item in node.items
        if ast.unparse(item.context_expr).startswith(("subprocess.Popen(", "Popen("))
    }
    assert found == set()
