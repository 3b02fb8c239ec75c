"""A configuration that is being changed: shown, then written as a whole or not at all."""

import subprocess
import sys

import pytest

from parley.app.setup.draft import Draft, shipped_text
from parley.core.model.errors import ConfigError, ParleyError

TOKEN = "12:abc"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def with_telegram(environ=None):
    return Draft.open(None, environ or {}).add_channel("telegram", {"bot_token": TOKEN})


def test_a_new_file_has_every_setting_and_the_secret_is_elsewhere(folder):
    draft = with_telegram().add_admin("telegram", "1001")
    before = shipped_line("    admins: []")
    assert list(draft.changes()) == [
        f"+ {folder / 'config.yaml'}",
        f"  {shipped_line('channels:')}",
        f"  {shipped_line('  telegram:')}",
        f"- {before}",
        "+ " + before.replace("[]", "['1001']"),
        "+ .env: TELEGRAM_BOT_TOKEN=***",
    ]
    assert list(folder.iterdir()) == []
    assert draft.write() == []
    assert (folder / ".env").read_text() == f"TELEGRAM_BOT_TOKEN={TOKEN}\n"
    assert (folder / ".env").stat().st_mode & 0o777 == 0o600
    telegram = Draft.open(None, {}).loaded().channels["telegram"]
    assert telegram.model_dump()["bot_token"] == TOKEN
    assert telegram.admins == ("1001",)


def shipped_line(start):
    return next(line for line in shipped_text().splitlines() if line.startswith(start))


def test_what_there_was_is_kept_beside_it(folder):
    (folder / "config.yaml").write_text("# mine\nchannels:\n  telegram: {enabled: false}  # later\n")
    (folder / "config.yaml").chmod(0o640)
    (folder / ".env").write_text("TELEGRAM_BOT_TOKEN=1:old\nMINE=1\n")
    draft = with_telegram()
    shown = list(draft.changes())
    assert "~ .env: TELEGRAM_BOT_TOKEN=***" in shown
    assert TOKEN not in "".join(shown)
    copies = draft.write()
    assert [each.name for each in copies] == [".env.before-init", "config.yaml.before-init"]
    assert copies[0].read_text() == "TELEGRAM_BOT_TOKEN=1:old\nMINE=1\n"
    assert copies[0].stat().st_mode & 0o777 == 0o600
    assert (folder / "config.yaml").read_text() == (
        "# mine\nchannels:\n  telegram: {enabled: true, bot_token: $TELEGRAM_BOT_TOKEN}  # later\n"
    )
    assert (folder / "config.yaml").stat().st_mode & 0o777 == 0o640
    assert [each.name for each in draft_again().write()] == [".env.before-init-2"]


def draft_again():
    return Draft.open(None, {}).add_channel("telegram", {"bot_token": "3:c"})


def test_the_same_again_changes_nothing(folder):
    with_telegram().write()
    before = {each: each.read_bytes() for each in folder.iterdir()}
    again = with_telegram()
    assert list(again.changes()) == []
    assert again.write() == []
    assert {each: each.read_bytes() for each in folder.iterdir()} == before


def test_a_file_that_somebody_else_changed_is_left_alone(folder):
    draft = with_telegram()
    (folder / "config.yaml").write_text("language: zh\n")
    with pytest.raises(ConfigError, match="in the meantime"):
        draft.write()
    assert [each.name for each in folder.iterdir()] == ["config.yaml"]


def test_neither_is_written_where_one_cannot_be(folder):
    (folder / ".env").write_text("MINE=1\n")
    (folder / "config.yaml").symlink_to(folder / "missing" / "config.yaml")
    draft = with_telegram()
    with pytest.raises(ParleyError, match="cannot be written"):
        draft.write()
    assert (folder / ".env").read_text() == "MINE=1\n"


@pytest.mark.parametrize("before", [None, "# mine\nlanguage: zh\n"])
def test_what_was_written_is_taken_back_where_the_secrets_cannot_be(folder, before):
    if before:
        (folder / "config.yaml").write_text(before)
    (folder / ".env").symlink_to(folder / "missing" / ".env")
    with pytest.raises(ParleyError, match="cannot be written"):
        with_telegram().write()
    assert ((folder / "config.yaml").read_text() if before else (folder / "config.yaml").exists()) == (
        before or False
    )


DIES = """
import os, sys
from parley.app.setup.draft import Draft
draft = Draft.open(None, {}).add_channel("telegram", {"bot_token": "12:abc"}).add_admin("telegram", "1001")
left = int(sys.argv[1])
def audit(event, arguments):
    global left
    if event == "os.rename":
        left -= 1
        if left < 0:
            os._exit(9)
sys.addaudithook(audit)
draft.write()
"""


def test_a_process_that_dies_between_the_files_leaves_no_platform_without_its_rules(folder):
    original = {"config.yaml": shipped_text(), ".env": "MINE=1\n"}
    codes = []
    for renamed in range(6):
        for name, text in original.items():
            (folder / name).write_text(text)
        codes.append(subprocess.run([sys.executable, "-c", DIES, str(renamed)], check=False).returncode)
        found = Draft.open(None, {}).loaded().channels.get("telegram")
        assert found is None or found.admins == ("1001",), f"died after {renamed} files"
    assert codes == [9, 9, 9, 9, 0, 0]


def test_what_the_environment_has_wins_and_is_said(folder):
    with pytest.raises(ConfigError, match="TELEGRAM_BOT_TOKEN is set in the environment"):
        with_telegram({"TELEGRAM_BOT_TOKEN": "1:other"})
    assert with_telegram({"TELEGRAM_BOT_TOKEN": TOKEN}).loaded().channels["telegram"].bot_token == TOKEN


@pytest.mark.parametrize("channel", ["telegram", "slack", "feishu", "dingtalk"])
def test_another_server_takes_the_place_of_each_platform(folder, channel):
    config = Draft.open(None, {}).loaded().plans[channel].config
    keys = dict.fromkeys(config.credentials(), "word")
    keys |= {"domain": "feishu"} if channel == "feishu" else {}
    draft = Draft.open(None, {}).add_channel(channel, keys, "http://127.0.0.1:7")
    on = draft.loaded().channels[channel]
    assert "http://127.0.0.1:7" in f"{getattr(on, 'api_url', '')} {getattr(on, 'domain', '')}"
    assert "DOMAIN" not in str(draft.variables)
