"""Categories and topics of memory in config.yaml: what they mean, and what is said of a mistake."""

from __future__ import annotations

import pytest

from tests.kit.settings_reading import mistakes, settings

MISTAKES = [
    ("categories: {a b: x}", """memory.categories: "a b" cannot be the name of a category"""),
    ("categories: {1st: x}", """memory.categories: "1st" cannot be the name of a category"""),
    ("topics: {no+: x}", """memory.topics: "no+" cannot be the name of a topic"""),
    ("topics: {home: }", """memory.topics: "home" has no description; write in a few words"""),
    ("categories: {home: x, Home: y}", """memory.categories: "Home" is there twice"""),
    (
        f"categories: {{home: {'x' * 301}}}",
        """memory.categories: the description of "home" is longer than 300""",
    ),
    ("categories: [home]", """memory.categories: must be a section of "key: value" lines"""),
    ("categories: {home: [x]}", "memory.categories.home: must be text"),
]


@pytest.mark.parametrize(("text", "said"), MISTAKES, ids=[text[:30] for text, _ in MISTAKES])
def test_a_mistake_is_said_with_its_place(text: str, said: str) -> None:
    (line,) = mistakes(f"memory:\n  {text}\n")
    assert line.startswith("config.yaml:2: ")
    assert said in line


@pytest.mark.parametrize("key", ["categories", "topics"])
def test_there_are_only_so_many(key: str) -> None:
    many = ", ".join(f"name{number}: x" for number in range(31))
    assert mistakes(f"memory: {{{key}: {{{many}}}}}")


def test_nothing_named_means_the_usual_ones() -> None:
    vocabulary = settings("").settings.memory.vocabulary
    assert list(vocabulary.categories) == [
        "preference", "knowledge", "context", "behavior", "goal", "correction", "instruction",
    ]  # fmt: skip
    assert list(vocabulary.sections()["history"]) == ["recentMonths", "earlierContext", "longTermBackground"]


def test_what_is_named_is_what_there_is_beside_corrections_and_instructions() -> None:
    categories = "{project: what they work on, goal: , 孩子: their children}"
    vocabulary = settings(
        f"memory: {{categories: {categories}, topics: {{topOfMind: }}}}"
    ).settings.memory.vocabulary
    assert list(vocabulary.categories) == ["project", "goal", "孩子", "correction", "instruction"]
    assert vocabulary.categories["project"] == "what they work on"
    assert vocabulary.topics == {"topOfMind": "what they are busy with now"}
    assert vocabulary.usual_category == "project"
