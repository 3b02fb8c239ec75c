"""Channels of ours, and of other distributions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from parley.app.settings.channel_registry import channel_config, channel_names, channel_package
from tests.kit.settings_reading import mistakes, settings

_OURS = ("dingtalk", "feishu", "slack", "telegram", "web")


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a distribution that brings `pigeon`, and a `slack` of its own."""
    package = tmp_path / "pigeon_post"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "config.py").write_text(
        "from parley.channels.kit.config import ChannelConfig\n"
        "class Config(ChannelConfig):\n    loft: str = ''\n    def credentials(self): return ('loft',)\n"
    )
    info = tmp_path / "pigeon_post-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pigeon-post\nVersion: 1\n")
    points = "[parley.channels]\npigeon = pigeon_post\nslack = pigeon_post\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("pigeon_post", "pigeon_post.config"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return package


def test_ours_are_the_folders() -> None:
    assert channel_names() == _OURS


def test_an_entry_point_adds_a_channel_with_its_section(theirs: Path) -> None:
    assert channel_names() == tuple(sorted((*_OURS, "pigeon")))
    assert channel_package("pigeon") == "pigeon_post"
    loaded = settings("channels: {pigeon: {loft: roof, allowed_users: [ann]}}")
    assert loaded.channels["pigeon"].allowed_users == ("ann",)
    assert any("lofft" in line for line in mistakes("channels: {pigeon: {lofft: roof}}"))


def test_no_entry_point_takes_the_place_of_ours(theirs: Path) -> None:
    assert channel_package("slack") == "parley.channels.slack"
    assert channel_config("slack").__module__ == "parley.channels.slack.config"


def test_a_section_that_is_none_names_its_module(theirs: Path) -> None:
    (theirs / "config.py").write_text("Config = dict\n")
    with pytest.raises(TypeError, match=r"pigeon_post\.config: Config must be a ChannelConfig"):
        channel_config("pigeon")
