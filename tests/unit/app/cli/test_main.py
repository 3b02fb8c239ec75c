"""The command line, in processes of its own."""

import os
import re
import subprocess
import sys

import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from parley.version import VERSION
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.product.process import parley


def test_version_is_the_projects(tmp_path):
    assert parley(tmp_path, "version").stdout == f"Parley {VERSION}\n"


def test_the_version_is_an_option_too(tmp_path):
    assert parley(tmp_path, "--version").stdout == f"Parley {VERSION}\n"


def test_without_a_command_it_starts_and_is_watched(tmp_path):
    (tmp_path / "config.yaml").write_text("agent: {mode: fast}\n")
    result = parley(tmp_path)
    assert result.returncode == 2
    said, watching = result.stderr.splitlines()
    assert said.startswith("config.yaml:1: agent.mode: must be one of")
    assert watching == "Not started again: what stands above has to be mended first."


def test_an_unknown_command_shows_the_usage(tmp_path):
    result = parley(tmp_path, "rnu")
    assert result.returncode == 2
    assert result.stderr.startswith("usage: parley")


def test_what_is_set_up_nowhere_is_the_users_own(tmp_path):
    here, mine = tmp_path / "here", tmp_path / "mine"
    here.mkdir()
    result = parley(here, "check", XDG_DATA_HOME=str(mine))
    if "console.port: 8765 cannot be had" in result.stdout:
        pytest.skip("a Parley is running here, and has the usual port")
    assert result.returncode == 0, result.stderr
    assert "the defaults (there is no config.yaml): this would start:" in result.stdout
    assert f"{mine / 'parley' / 'data'}\n" in result.stdout
    assert not list(here.iterdir())


def test_the_users_own_configuration_and_variables_count_there(tmp_path):
    here, mine = tmp_path / "here", tmp_path / "mine" / "parley"
    here.mkdir()
    mine.mkdir(parents=True)
    (mine / "config.yaml").write_text("session: {context: {who: $WHO}}\nagent: {mode: fast}\n")
    result = parley(here, "check", XDG_DATA_HOME=str(mine.parent))
    named = mine / "config.yaml"
    assert f'{named}:2: agent.mode: must be one of "stream" or "wait"' in result.stderr
    assert f"{named}:1: session.context.who: $WHO is not set" in result.stderr
    (mine / ".env").write_text("WHO=Ada\n")
    assert "$WHO" not in parley(here, "check", XDG_DATA_HOME=str(mine.parent)).stderr


@pytest.mark.parametrize("command", ["run", "check", "chat", "threads", "agent"])
def test_every_command_shows_mistakes_and_ends_with_2(tmp_path, command):
    (tmp_path / "config.yaml").write_text("agent: {mode: fast}\nlog_level: loud\n")
    result = parley(tmp_path, command)
    assert result.returncode == 2
    assert result.stderr.splitlines() == [
        'config.yaml:1: agent.mode: must be one of "stream" or "wait", not "fast"',
        'config.yaml:2: log_level: must be one of "debug", "info", "warning" or "error", not "loud"',
    ]


def test_check_says_what_would_start(tmp_path):
    (tmp_path / "config.yaml").write_text("console: {port: 0}\nchannels: {telegram: {bot_token: $BOT}}\n")
    result = parley(tmp_path, "check")
    assert result.returncode == 0, result.stderr
    assert re.search(r"telegram +off: \$BOT is not set", result.stdout)
    assert re.search(r"web +on", result.stdout)
    assert (
        "\nFiles that people send are read by a process of its own; the kernel keeps it from" in result.stdout
    )
    assert not (tmp_path / "data").exists()


def test_check_takes_variables_from_dotenv(tmp_path):
    telegram = "telegram: {bot_token: $BOT, api_url: 'http://127.0.0.1:9'}"
    (tmp_path / "config.yaml").write_text(f"console: {{port: 0}}\nchannels: {{{telegram}}}\n")
    (tmp_path / ".env").write_text("BOT=123:abc\n")
    result = parley(tmp_path, "check")
    assert "telegram  on, but nobody may talk to it yet: fill in allowed_users" in result.stdout
    (tmp_path / "config.yaml").write_text(
        f"console: {{port: 0}}\nchannels: {{{telegram.replace('}', ', admins: [1001]}')}}}\n"
    )
    assert "nobody may talk" not in parley(tmp_path, "check").stdout


def test_check_names_a_token_that_the_platform_refuses(tmp_path):
    with TelegramSimulator() as sim:
        telegram = f"telegram: {{bot_token: '1:wrong', api_url: '{sim.api_url}'}}"
        (tmp_path / "config.yaml").write_text(f"console: {{port: 0}}\nchannels: {{{telegram}}}\n")
        result = parley(tmp_path, "check")
    assert result.returncode == 1
    (line,) = [
        each for each in result.stdout.splitlines() if "channels.telegram.bot_token: Telegram " in each
    ]
    assert line.startswith("config.yaml:2: ")
    assert result.stdout.endswith("\n1 mistake.\n")
    assert "No mistakes" not in result.stdout


def test_check_names_an_agent_server_that_is_away(tmp_path):
    (tmp_path / "config.yaml").write_text("agent: {url: 'http://127.0.0.1:9'}\nconsole: {port: 0}\n")
    result = parley(tmp_path, "check")
    assert result.returncode == 1
    assert "config.yaml:1: agent.url: http://127.0.0.1:9" in result.stdout
    assert '(whether "agent" is there is not known)' in result.stdout


def test_check_ends_with_0_for_remarks_and_1_for_mistakes_and_says_so(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("console: {port: 0}\nstore: {lease: 20}\n")
    remarked = parley(tmp_path, "check")
    assert remarked.returncode == 0
    assert "config.yaml:2: store.lease: does nothing with SQLite" in remarked.stdout
    assert remarked.stdout.endswith("\nNo mistakes.\n")
    file.write_text("console: {port: 0}\nagent: {assistant: agnt}\nsession: {assistant_id: other}\n")
    wrong = parley(tmp_path, "check")
    assert wrong.returncode == 1
    assert 'config.yaml:3: session.assistant_id: the agent server has no assistant "other"' in wrong.stdout
    assert wrong.stdout.endswith("\n1 mistake.\n")


def test_check_names_the_key_of_a_model_that_cannot_be_in_one_line(tmp_path):
    (tmp_path / "config.yaml").write_text("console: {port: 0}\nagent:\n  model: opnai:gpt-5\n")
    result = parley(tmp_path, "check")
    assert result.returncode == 1
    *_, line, count = result.stdout.splitlines()
    assert line.startswith("config.yaml:3: agent.model: opnai:gpt-5")
    assert count == "1 mistake."


def test_threads_without_a_store_says_so(tmp_path):
    result = parley(tmp_path, "threads")
    assert result.returncode == 0
    assert result.stdout.startswith("No conversations yet")


def test_chat_with_nothing_to_say_says_so(tmp_path):
    result = parley(tmp_path, "chat")
    assert result.returncode == 1
    assert "nothing to say" in result.stderr


LIGHT = """
import sys
from pathlib import Path
from parley.app.settings.load import load_settings
load_settings(None, {}, Path("."))
print([name for name in ("telegram", "langchain_core", "langgraph", "uvicorn") if name in sys.modules])
"""

BUILT = """
import asyncio, sys
from pathlib import Path
from parley.app.composition.build import build_parley
from parley.app.settings.load import read_settings

async def main():
    text = "{agent: {url: 'http://127.0.0.1:9'}, channels: {telegram: {bot_token: '%s'}}}"
    async with build_parley(read_settings(text % sys.argv[1], "test", {}, Path("."))):
        unused = ("langchain_openai", "langgraph", "cryptography", "tiktoken", "snowballstemmer")
        print([name for name in ("telegram", *unused) if name in sys.modules])

asyncio.run(main())
"""


def python(folder, code, *arguments):
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=patience(50),
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_reading_settings_loads_nothing_heavy(tmp_path):
    assert python(tmp_path, LIGHT) == "[]"


def test_a_vendors_sdk_is_loaded_only_when_its_channel_is_on(tmp_path):
    assert python(tmp_path, BUILT, "") == "[]"


def test_and_is_loaded_then(tmp_path):
    assert python(tmp_path, BUILT, "123:abc") == "['telegram']"


def test_a_question_is_answered_without_a_running_parley_and_listed_afterwards(tmp_path):
    (tmp_path / "config.yaml").write_text(f"console: {{port: {free_port()}}}\n")
    answer = parley(tmp_path, "chat", "hello", "there")
    assert answer.returncode == 0, answer.stderr
    assert "demonstration" in answer.stdout
    listed = parley(tmp_path, "threads").stdout
    assert re.search(r"^web:terminal-chat +[0-9a-f-]{36} +idle .*hello there$", listed, re.MULTILINE)
