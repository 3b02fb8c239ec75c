"""An older file is told from a short one, and no key comes in that would change what a file means."""

from pathlib import Path

import pytest

from parley.app.checks.config_version import find_old_version
from parley.app.settings.load import SHIPPED_FILE, load_settings, read_settings
from parley.app.settings.schema.model import CONFIG_VERSION
from parley.app.settings.upgrade import config_version, upgrade
from parley.core.model.errors import ConfigError

SHIPPED = SHIPPED_FILE.read_text("utf-8")
UNVERSIONED = SHIPPED.replace(f"version: {CONFIG_VERSION} ", "# no version ")


def reader(folder=Path("/nowhere"), **environ):
    return lambda text: read_settings(text, "config.yaml", environ, folder)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (SHIPPED, CONFIG_VERSION),
        (UNVERSIONED, 0),
        ("", CONFIG_VERSION),
        ("agent: {mode: wait}\n", CONFIG_VERSION),
        ("questions: {audit_days: 3}\n", 0),
    ],
)
def test_the_version_of_a_file(text, version):
    loaded = reader()(text)
    assert config_version(loaded) == version
    assert bool(find_old_version(loaded).remarks) == (version < CONFIG_VERSION)


def test_no_file_is_not_old(tmp_path):
    assert find_old_version(load_settings(None, {}, tmp_path)).remarks == ()


def test_the_shipped_file_is_up_to_date():
    assert upgrade(SHIPPED, reader()).text == SHIPPED


def test_a_file_of_a_later_parley_is_refused():
    with pytest.raises(ConfigError, match=r"config.yaml:1: version: .*knows versions up to"):
        reader()(f"version: {CONFIG_VERSION + 1}\n")


def test_keys_of_channels_that_would_hide_those_of_the_agent_are_left_out():
    text = "agent:\n  when_busy: merge\nchannels:\n  telegram:\n    bot_token: '1:a'\n"
    found = upgrade(text, reader())
    assert ("channels", "telegram", "when_busy") in found.left
    assert ("channels", "telegram", "on_edit") in found.added
    assert upgrade(found.text, reader()).text == found.text


def test_no_platform_is_switched_on_by_a_variable_that_is_set():
    found = upgrade("channels:\n  web:\n    name: Ada\n", reader(SLACK_BOT_TOKEN="xoxb-1-a"))
    assert ("channels", "slack") in found.left
    assert ("channels", "feishu") in found.added


def test_the_graphs_of_a_project_stay_the_agent(tmp_path):
    (tmp_path / "langgraph.json").write_text('{"graphs": {"mine": "./a.py:graph"}, "dependencies": ["."]}')
    found = upgrade("agent:\n  mode: wait\n", reader(tmp_path))
    assert ("agent", "assistant") in found.left
    assert ("agent", "timeout") in found.added


def test_a_setting_that_moved_keeps_its_value_and_comment():
    found = upgrade("questions:\n  ask: slack:C0123456   # ops\n  audit_days: 9   # ours\n", reader())
    assert found.moved == ((("questions", "audit_days"), ("retention", "audit_days")),)
    assert "\n  audit_days: 9   # ours\n" in found.text
    assert reader()(found.text).settings.retention.audit_days == 9


def test_a_file_with_mistakes_is_not_touched():
    with pytest.raises(ConfigError, match="unknown key"):
        upgrade("agnet: {}\n", reader())
