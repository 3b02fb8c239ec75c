"""The secrets that Parley makes for itself."""

import os
import stat
from pathlib import Path

import pytest

from parley.app.settings.load import LoadedSettings, read_settings
from parley.app.storage.secret_files import (
    agent_key,
    auth_headers,
    console_token,
    console_url,
    existing_token,
)
from parley.core.model.errors import ParleyError

URL = "http://127.0.0.1:8765"


def loaded(folder: Path, text: str = "") -> LoadedSettings:
    return read_settings(text, "config.yaml", {}, folder)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        made = console_token(loaded(tmp_path))
    finally:
        os.umask(old)
    assert len(made) > 40
    assert mode(tmp_path / "data") == 0o700
    assert [(path.name, mode(path)) for path in (tmp_path / "data").iterdir()] == [("token", 0o600)]
    assert console_token(loaded(tmp_path)) == existing_token(loaded(tmp_path)) == made
    assert auth_headers(loaded(tmp_path)) == {"authorization": f"Bearer {made}"}
    assert console_url(loaded(tmp_path), URL) == f"{URL}/?token={made}"


def test_the_agents_key_is_another_one(tmp_path: Path) -> None:
    key = agent_key(loaded(tmp_path))
    assert key == agent_key(loaded(tmp_path)) != console_token(loaded(tmp_path))
    assert mode(tmp_path / "data" / "agent-key") == 0o600
    assert agent_key(loaded(tmp_path, "agent: {api_key: chosen}")) == "chosen"


def test_a_chosen_token_goes_before_and_stays_out_of_the_address(tmp_path: Path) -> None:
    made = console_token(loaded(tmp_path))
    chosen = loaded(tmp_path, "console: {token: correct-horse-battery}")
    assert console_token(chosen) == existing_token(chosen) == "correct-horse-battery" != made
    assert console_url(chosen, URL) == URL


def test_before_the_first_start_there_is_none(tmp_path: Path) -> None:
    assert existing_token(loaded(tmp_path)) == ""
    assert auth_headers(loaded(tmp_path)) == {}
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"\xff" * 40, b"two words\nand a line more"])
def test_what_is_no_token_is_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "token").write_bytes(content)
    assert existing_token(loaded(tmp_path)) == ""
    assert len(console_token(loaded(tmp_path))) > 40


def test_a_token_that_others_could_read_is_closed_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = console_token(loaded(tmp_path))
    (tmp_path / "data" / "token").chmod(0o644)
    assert existing_token(loaded(tmp_path)) == made
    assert mode(tmp_path / "data" / "token") == 0o600
    (record,) = caplog.records
    assert "could be read by others" in record.getMessage()
    assert made not in record.getMessage()


def test_a_place_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "data" / "token").mkdir(parents=True)
    with pytest.raises(ParleyError, match=r"token cannot be read: Is a directory"):
        console_token(loaded(tmp_path))
    (tmp_path / "other").write_text("")
    with pytest.raises(ParleyError, match="agent-key cannot be"):
        agent_key(loaded(tmp_path, "data_dir: other"))
