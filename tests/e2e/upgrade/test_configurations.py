"""Configurations that were shipped mean what they meant, are named as older, and are brought up to date.

`configurations/shipped.tar.xz` has them, in their order.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from parley.app.checks.config_version import find_old_version
from parley.app.cli.main import main
from parley.app.settings.core_options import core_options
from parley.app.settings.load import SHIPPED_FILE, LoadedSettings, load_settings
from parley.app.settings.parsing.yaml_complete import missing_keys
from parley.app.settings.schema.model import CONFIG_VERSION

ARCHIVE = Path(__file__).parent / "configurations" / "shipped.tar.xz"
EDITS = {
    "mode: stream ": "mode: wait ",
    "port: 8765 ": "port: 9000 ",
    "max_turns: 2000 ": "max_turns: 7 ",
    "\nmanager:": "\n# Ours: see the wiki.\nmanager:  # small machine",
    "\nchannels:": "\n\n# Ask the team first.\nchannels:",
}
"""What people change in them."""


def shipped() -> dict[str, str]:
    with tarfile.open(ARCHIVE) as archive:
        found = {name: archive.extractfile(name) for name in archive.getnames()}
        return {name: file.read().decode() for name, file in found.items() if file is not None}


FILES = shipped()


def edited(name: str) -> str:
    text = FILES[name]
    for old, new in EDITS.items():
        assert old in text, f"{name} has no {old}"
        text = text.replace(old, new)
    if "questions:" in text:  # where this setting was at first
        text = text.replace("  audit_days: 365 ", "  # Auditors want two years.\n  audit_days: 730 ")
    return text


def read(folder: Path) -> LoadedSettings:
    return load_settings(None, {"TELEGRAM_BOT_TOKEN": "1:a"}, folder)


def test_there_are_all() -> None:
    assert len(FILES) == 29
    assert len(set(FILES.values())) == 29


@pytest.mark.parametrize("name", FILES)
def test_an_earlier_configuration_is_read_with_what_was_changed_in_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(edited(name))
    loaded = read(tmp_path)
    settings = loaded.settings
    changed = (settings.agent.mode, settings.console.port, settings.manager.max_turns)
    assert changed == ("wait", 9000, 7)
    assert list(loaded.channels) == ["telegram", "web"]
    (remark,) = find_old_version(loaded).remarks
    assert f"is missing, and this Parley writes {CONFIG_VERSION}" in remark.text
    old_place = "questions:" in FILES[name] and "retention:" not in FILES[name]
    assert ("questions.audit_days is retention.audit_days now" in remark.text) == old_place


@pytest.mark.journeys
@pytest.mark.parametrize("name", FILES)
def test_it_is_brought_up_to_date_and_keeps_what_people_wrote(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, text = tmp_path / "config.yaml", edited(name)
    file.write_text(text)
    file.chmod(0o640)
    before = read(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "1:a")

    assert main(["config", "upgrade", "--dry-run"]) == 0
    assert file.read_text() == text
    assert list(tmp_path.iterdir()) == [file]

    assert main(["config", "upgrade", "--yes"]) == 0
    after = read(tmp_path)
    assert (core_options(after), list(after.channels)) == (core_options(before), list(before.channels))
    same = {"version", "channels"}
    assert after.settings.model_dump(exclude=same) == before.settings.model_dump(exclude=same)
    assert after.settings.retention.audit_days == before.settings.retention.audit_days
    assert find_old_version(after).remarks == ()
    kept(text, file.read_text())
    left = {"channels.slack", "channels.feishu", "channels.dingtalk"}  # their mode is not ours to choose
    lacking = {".".join(key.path) for key in missing_keys(file.read_text(), SHIPPED_FILE.read_text("utf-8"))}
    assert lacking <= left | {"channels.telegram.mode"}
    assert (tmp_path / "config.yaml.before-upgrade").read_text() == text
    assert file.stat().st_mode & 0o777 == 0o640

    capsys.readouterr()
    new = file.read_text()
    assert main(["config", "upgrade", "--yes"]) == 0
    assert "is up to date" in capsys.readouterr().out
    assert file.read_text() == new
    assert len(list(tmp_path.iterdir())) == 2


def kept(text: str, new: str) -> None:
    """Every line is there, and in its order; only what moved may stand elsewhere."""
    rest = iter(new.splitlines())
    for line in text.splitlines():
        if "udit" in line:
            assert line in new.splitlines()
        else:
            assert line in rest, line
