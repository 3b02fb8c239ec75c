"""Files of memory have no use for aliases, which can stand for anything."""

import pytest
import yaml

from parley.core.model.errors import ConfigError
from parley.memory.learning.extraction.signals import read_signals
from parley.memory.text.strict_yaml import read_yaml


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [x]\nb: *a\n", "line 2"),
        ("[" * 5_000, "nested too deeply"),
        ("x" * 300_000, "at most"),
    ],
)
def test_what_may_stand_for_too_much_is_refused(text: str, said: str) -> None:
    with pytest.raises(yaml.YAMLError, match=said):
        read_yaml(text)


def test_a_file_of_signals_with_aliases_is_named() -> None:
    with pytest.raises(ConfigError, match=r"signals\.yaml.*aliases"):
        read_signals("version: 1\ncorrection: &a [x]\nreinforcement: [*a, *a]\n", "signals.yaml")


def test_what_is_written_out_is_read() -> None:
    assert read_yaml("a: {b: [1, two]}") == {"a": {"b": [1, "two"]}}
