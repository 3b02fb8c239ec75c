"""docs/finding-your-way.md names files that exist, and functions and classes that are defined in them."""

import re

import pytest

from tests.architecture.definitions import definitions
from tests.kit.checkout import ROOT

DOCUMENT = ROOT / "docs" / "finding-your-way.md"
ANSWER = re.compile(r"^- `([^`]+)`: (.+?)(?=^- |^$|\Z)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)?)`")
PATH = re.compile(r"`([\w./-]+/[\w.-]*)`")
SETTINGS = {"edit_interval", "group_edit_interval", "held_by_one", "memory.prompts_dir", "names"}
"""Fields, settings and tables that answers mention beside their function or class."""
TO_BE_MADE = {"channels/discord/", "parley/simulator/discord/"}
_, *SECTIONS = re.split(r"^## ", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)
ANSWERS = [answer for section in SECTIONS for answer in ANSWER.findall(section)]


def test_every_question_is_answered_by_one_or_two_files():
    counts = {section.splitlines()[0]: len(ANSWER.findall(section)) for section in SECTIONS}
    assert len(counts) >= 15
    assert {question: count for question, count in counts.items() if not 1 <= count <= 2} == {}


@pytest.mark.parametrize(("path", "text"), ANSWERS)
def test_what_an_answer_names_is_defined_in_its_file(path, text):
    assert (ROOT / path).is_file()
    if path.endswith(".py"):
        named = set(NAME.findall(text)) - SETTINGS
        assert named, "an answer names a function or a class"
        defined = definitions(ROOT / path)
        assert {each for each in named if each not in defined} == set()


def test_every_path_exists():
    paths = set(PATH.findall(DOCUMENT.read_text("utf-8")))
    assert {path for path in paths - TO_BE_MADE if not (ROOT / path).exists()} == set()
