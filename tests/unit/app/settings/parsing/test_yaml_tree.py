"""libyaml reads a configuration as PyYAML's own loader does."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parley.app.settings.parsing.yaml_tree import YamlTree, parse_yaml
from tests.kit.checkout import ROOT

_SIGNS = " \n-:#'\"[]{},&*|>%@`?~abc019.é中\u0085\u2028\\\t\ufeff!"
_PIECES = st.sampled_from([*_SIGNS, "\n  ", "a: ", "- ", "b:\n  ", "x: [1, 'b']\n"])


def parse_slowly(text: str, monkeypatch: pytest.MonkeyPatch) -> YamlTree:
    with monkeypatch.context() as patch:
        patch.setattr("parley.app.settings.parsing.yaml_tree._QUICK", yaml.SafeLoader)
        return parse_yaml(text)


@pytest.fixture(scope="module", autouse=True)
def with_libyaml() -> None:
    if not yaml.__with_libyaml__:
        pytest.skip("PyYAML has no libyaml here")


@pytest.mark.parametrize("path", ["config.yaml", "parley/app/settings/default.yaml"])
def test_files_of_ours_are_read_alike(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / path).read_text("utf-8")
    found = parse_yaml(text)
    assert found.tree
    assert found == parse_slowly(text, monkeypatch)


@settings(deadline=None, max_examples=300)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_any_text_is_read_alike(text: str) -> None:
    assume(not re.search(r"[|>]#", text))  # libyaml takes it for a comment, against the specification
    with pytest.MonkeyPatch.context() as patch:
        assert parse_yaml(text) == parse_slowly(text, patch)
