"""Values changed in YAML text: every other character stays."""

import re
from importlib.resources import files

import pytest

from parley.app.settings.parsing.yaml_edit import add_to_list, set_value
from parley.app.settings.parsing.yaml_tree import parse_yaml
from parley.core.model.errors import ConfigError

SHIPPED = files("parley.app.settings").joinpath("default.yaml").read_text("utf-8")


def changed_lines(before, after):
    return [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]


def test_a_value_is_replaced_and_its_comment_stays():
    after = set_value(SHIPPED, ("agent", "url"), "http://127.0.0.1:2024")
    assert len(changed_lines(SHIPPED, after)) == 1
    assert "http://127.0.0.1:2024           # embedded (Parley" in after


def test_an_entry_comes_into_an_empty_list():
    after = add_to_list(SHIPPED, ("channels", "telegram", "admins"), "1001")
    assert changed_lines(SHIPPED, after)[0].startswith("    admins: ['1001']            # ids of people")
    assert add_to_list(after, ("channels", "telegram", "admins"), "1001") == after


def leaves(tree, path=()):
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def test_what_every_key_of_the_shipped_file_is_can_be_changed():
    sections = re.split(r"(?m)^(?=[a-z_]+:)", SHIPPED)[1:]  # each by itself: the whole takes long to read
    keys = {section: [*leaves(parse_yaml(section).tree)] for section in sections}
    assert sorted(key for each in keys.values() for key in each) == sorted(leaves(parse_yaml(SHIPPED).tree))
    for section, paths in keys.items():
        for path in paths:
            assert set_value(section, path, "changed 'a: #b").count("changed") >= 1
        assert set_value(SHIPPED, paths[-1], "changed 'a: #b").count("changed") >= 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a:\n  b: x\n"),
        ("# only words\n", "# only words\na:\n  b: x\n"),
        ("c: 1  # one\n", "c: 1  # one\n\na:\n  b: x\n"),
        ("a:\n", "a:\n  b: x\n"),
        ("a:   # words\nc: 1\n", "a:\n  b: x   # words\nc: 1\n"),
        ("a: {}\n", "a: {b: x}\n"),
        ("a: {c: 1, }  # words\n", "a: {c: 1, b: x}  # words\n"),
        ("a:\n    # words\n    c: 1\n", "a:\n    # words\n    b: x\n    c: 1\n"),
        ("a:\n  b:\n", "a:\n  b: x\n"),
        ("a:\n  b: y # old\n  c: 1", "a:\n  b: x # old\n  c: 1"),
        ("a:\n  b:\n    - 1  # one\n    # after\nc: 1\n", "a:\n  b:\n    x  # one\n    # after\nc: 1\n"),
        ("a:\r\n  b: y\r\n", "a:\r\n  b: x\r\n"),
    ],
)
def test_every_form_of_a_section(before, after):
    assert set_value(before, ("a", "b"), "x") == after


@pytest.mark.parametrize("text", ["a: &x {b: 1}\nc: *x\n", "a: [\n", "a: 1\na: 2\n", "- 1\n"])
def test_what_cannot_be_done_is_said_and_not_done(text):
    with pytest.raises(ConfigError):
        set_value(text, ("a", "b"), "x")


def test_an_entry_is_added_to_what_is_no_list():
    assert add_to_list("a: 7\n", ("a",), "8") == "a: [7, '8']\n"
