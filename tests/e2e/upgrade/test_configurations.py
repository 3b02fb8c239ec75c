"""Configurations that earlier Parleys shipped mean what they meant; each has keys that others lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.app.settings.load import load_settings

FILES = sorted((Path(__file__).parent / "configurations").glob("*.yaml"))
EDITS = {
    "mode: stream ": "mode: wait ",
    "port: 8765 ": "port: 9000 ",
    "max_turns: 2000 ": "max_turns: 7 ",
}
"""What people change in them."""


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_an_earlier_configuration_is_read_with_what_was_changed_in_it(file: Path, tmp_path: Path) -> None:
    text = file.read_text("utf-8")
    for old, new in EDITS.items():
        assert old in text, f"{file.name} has no {old}"
        text = text.replace(old, new)
    (tmp_path / "config.yaml").write_text(text)
    loaded = load_settings(None, {"TELEGRAM_BOT_TOKEN": "1:a"}, tmp_path)
    settings = loaded.settings
    changed = (settings.agent.mode, settings.console.port, settings.manager.max_turns)
    assert changed == ("wait", 9000, 7)
    assert list(loaded.channels) == ["telegram", "web"]
