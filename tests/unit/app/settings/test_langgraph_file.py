"""A project's langgraph.json beside the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parley.app.checks.findings import check_settings
from parley.app.composition.embedded.options import embedded_options
from parley.app.settings.langgraph_file import PROJECT_FILE
from parley.app.settings.load import LoadedSettings, read_settings
from parley.core.model.errors import ConfigError

TEMPLATE = {
    "$schema": "https://langgra.ph/schema.json",
    "dependencies": ["."],
    "graphs": {"agent": "./src/agent/graph.py:graph"},
    "env": ".env",
    "image_distro": "wolfi",
}
"""As `langgraph new` makes it."""


def loaded(folder: Path, tree: object, config: str = "") -> LoadedSettings:
    (folder / PROJECT_FILE).write_text(tree if isinstance(tree, str) else json.dumps(tree), "utf-8")
    return read_settings(config, "config.yaml", {}, folder)


def test_the_template_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-1\nEMPTY=\n")
    found = loaded(tmp_path, TEMPLATE)
    options = embedded_options(found)
    assert options.graphs == {"agent": f"{tmp_path / 'src/agent/graph.py'}:graph"}
    assert options.project.environ == {"OPENAI_API_KEY": "sk-1"}
    assert "sk-1" not in repr(found)
    assert check_settings(found).remarks == ()


def test_what_has_no_effect_is_remarked(tmp_path: Path) -> None:
    tree = {**TEMPLATE, "auth": {"path": "x"}, "dependencies": [".", "no-such-package-at-all>=1", "pydantic"]}
    said = [each.text for each in check_settings(loaded(tmp_path, tree)).remarks]
    assert len(said) == 2
    assert any("no-such-package-at-all is not installed; run: pip install" in each for each in said)
    assert any(each.startswith(f"{PROJECT_FILE}: auth does nothing here") for each in said)


def test_the_assistant_is_its_first_graph_unless_another_is_named(tmp_path: Path) -> None:
    tree = {"graphs": {"one": "./a.py:graph", "two": {"path": "pkg.b:graph", "description": "x"}}}
    assert loaded(tmp_path, tree).settings.agent.assistant == "one"
    chosen = loaded(tmp_path, tree, "agent: {assistant: two}")
    assert chosen.settings.agent.assistant == "two"
    assert embedded_options(chosen).graphs["two"] == "pkg.b:graph"
    with pytest.raises(
        ConfigError, match=r"config.yaml:1: agent.assistant: must be one of the graphs of lang"
    ):
        loaded(tmp_path, tree, "agent: {assistant: three}")


@pytest.mark.parametrize(
    "config",
    ["agent: {graphs: {agent: 'x.py:graph'}}", "agent: {model: 'a:b'}", "agent: {url: 'http://x'}"],
)
def test_an_agent_that_the_configuration_names_wins(tmp_path: Path, config: str) -> None:
    assert loaded(tmp_path, TEMPLATE, config).project is None


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ("{", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ([], "must be an object"),
        ({}, "graphs: write at least one"),
        ({"graphs": {"a": "graph.py"}}, 'graphs.a: must be "FILE.py:NAME"'),
        ({"graphs": {"a": 3}}, 'graphs.a: must be "FILE.py:NAME"'),
        ({"graphs": {"a": "./agent.ts:graph"}}, "only Python runs here"),
        ({"graphs": {"a": "./a.py:g"}, "dependencies": ["./gone"]}, "there is no folder"),
        ({"graphs": {"a": "./a.py:g"}, "dependencies": "."}, "dependencies: must be a list"),
        ({"graphs": {"a": "./a.py:g"}, "env": []}, "env: must be a file or an object"),
    ],
)
def test_a_mistake_is_named_with_the_file_and_the_key(tmp_path: Path, tree: object, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, tree)
    assert refused.value.user_text.startswith(str(tmp_path / PROJECT_FILE))
    assert said in refused.value.user_text
