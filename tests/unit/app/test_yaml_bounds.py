"""A configuration of a few lines that stands for millions of values is refused at once, with its place."""

import pytest

from parley.app.settings.source import parse
from parley.app.settings.yaml_bounds import MOST_CHARS, MOST_LEVELS


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
        ("# " + "x" * MOST_CHARS, "characters", 0),
    ],
)
def test_what_is_too_much_is_one_mistake_with_its_line(text: str, said: str, line: int) -> None:
    (mistake,) = parse(text).mistakes
    assert said in mistake.text
    assert mistake.line == line


def test_a_few_aliases_are_read() -> None:
    text = "a: &a {mode: wait}\nchannels:\n  slack: *a\n  telegram: *a\n"
    assert parse(text).tree == {
        "a": {"mode": "wait"},
        "channels": {"slack": {"mode": "wait"}, "telegram": {"mode": "wait"}},
    }


def test_what_refers_to_itself_is_named_as_that() -> None:
    (mistake,) = parse("a: &a [1, *a]").mistakes
    assert "refers to itself" in mistake.text


def test_as_deep_as_may_be_is_read() -> None:
    assert parse("a: " + "[" * (MOST_LEVELS - 1) + "]" * (MOST_LEVELS - 1)).mistakes == ()
