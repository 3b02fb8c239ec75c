"""A configuration of a few lines that stands for millions of values is refused at once, with its place."""

import pytest

from parley.app.settings.parsing.yaml_bounds import MAX_CHARS, MAX_LEVELS
from parley.app.settings.parsing.yaml_tree import parse_yaml


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        (bomb(9), "more than 50,000 values", 5),
        (bomb(1_000), "more than 50,000 values", 5),
        (bomb(9).replace("[", "{k: [").replace("]", "]}"), "more than 50,000 values", 5),
        ("agent:\n  - " + "[" * 5_000, "50 deep", 2),
        ("agent:\n  " + "{a: " * 5_000, "50 deep", 2),
        ("- " * 5_000, "50 deep", 1),
        ("# " + "x" * MAX_CHARS, "characters", 0),
    ],
)
def test_what_is_too_much_is_one_mistake_with_its_line(text: str, said: str, line: int) -> None:
    (mistake,) = parse_yaml(text).mistakes
    assert said in mistake.text
    assert mistake.line == line


def test_a_few_aliases_are_read() -> None:
    text = "a: &a {mode: wait}\nchannels:\n  slack: *a\n  telegram: *a\n"
    assert parse_yaml(text).tree == {
        "a": {"mode": "wait"},
        "channels": {"slack": {"mode": "wait"}, "telegram": {"mode": "wait"}},
    }


def test_what_refers_to_itself_is_named_as_that() -> None:
    (mistake,) = parse_yaml("a: &a [1, *a]").mistakes
    assert "refers to itself" in mistake.text


def test_as_deep_as_may_be_is_read() -> None:
    assert parse_yaml("a: " + "[" * (MAX_LEVELS - 1) + "]" * (MAX_LEVELS - 1)).mistakes == ()
