"""What Parley writes is its owner's alone, and what others can reach is said."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from tests.kit.product.process import PATIENCE, command, environment, parley, write_config
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

_SECRET = "1234567:a-secret-that-is-nobodys"


def open_to_others(folder: Path) -> set[str]:
    """The files below a folder that others could read, were they let into it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in files if mode(path) & 0o077}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def loosely(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A finished command of somebody whose files are everybody's by default."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        umask=0o000,
    )


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder in which the data folder was made by somebody else, as volumes are."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    write_config(tmp_path, {"console": {"port": 0}, "channels": {"telegram": {"enabled": False}}})
    return tmp_path


def test_files_in_a_folder_that_others_can_enter_are_closed_to_them(shared: Path) -> None:
    said = loosely(shared, "chat", "Please send a file")
    assert said.returncode == 0, said.stderr
    exported = loosely(shared, "person", "export", "web:local", "--to", "mine.zip")
    assert exported.returncode == 0, exported.stderr
    assert {path.name for path in (shared / "data").iterdir()} >= {"parley.db", "agent.db"}
    assert open_to_others(shared / "data") == set()
    assert mode(shared / "mine.zip") == 0o600


def test_a_running_parley_keeps_its_files_to_itself(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    process = begin(tmp_path, {})
    try:
        person = WebPerson(process.wait_until_up())
        assert person.ask("Hello").text.endswith("You said: Hello")
        person.close()
        found = open_to_others(tmp_path / "data")
    finally:
        end(process)
    assert found == set()
    assert f"others on this machine can enter {tmp_path / 'data'}; run: chmod 700" in process.log


def test_what_others_can_reach_is_remarked_with_the_remedy(shared: Path) -> None:
    (shared / ".env").write_text("UNUSED=1\n")
    write_config(
        shared,
        {"console": {"port": 0}, "channels": {"telegram": {"enabled": False, "bot_token": _SECRET}}},
    )
    for name in (".env", "config.yaml"):
        (shared / name).chmod(0o644)
    checked = parley(shared, "check")
    assert checked.returncode == 0, checked.stdout
    env, config, data = (shared / name for name in (".env", "config.yaml", "data"))
    for words in (
        f"{env} can be read by others on this machine; run: chmod 600 {env}",
        f"{config} holds secrets and can be read by others on this machine; move them to .env, or run: chmod",
        f"data_dir: others on this machine can enter {data}; run: chmod 700 {data}",
    ):
        assert words in checked.stdout
    assert _SECRET not in checked.stdout + checked.stderr
    assert checked.stdout.endswith("\nNo mistakes.\n")
    env.chmod(0o600)
    config.chmod(0o600)
    data.chmod(0o700)
    assert "(a remark)" not in parley(shared, "check").stdout


def test_a_readable_configuration_without_secrets_is_fine(shared: Path) -> None:
    (shared / "data").chmod(0o700)
    (shared / "config.yaml").write_text(
        "console: {port: 0}\nchannels: {telegram: {enabled: false, bot_token: $BOT}}\n"
    )
    (shared / ".env").write_text(f"BOT={_SECRET}\n")
    (shared / ".env").chmod(0o600)
    (shared / "config.yaml").chmod(0o644)
    assert "(a remark)" not in parley(shared, "check").stdout
