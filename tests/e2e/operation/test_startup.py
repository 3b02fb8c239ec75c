"""Starting: what stands in the way is told in one line, and what is up says so."""

import asyncio
import re
import socket
from pathlib import Path

import httpx
import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.engine import CHOSEN
from tests.kit.product.process import PATIENCE, Process, asking, parley, split, way_in, write_config
from tests.kit.product.scene import Scene, begin, end
from tests.kit.product.telegram_chat import telegram_config
from tests.kit.product.web_person import WebPerson
from tests.kit.waiting import until

pytestmark = pytest.mark.timeout(240)


def health(url: str) -> dict[str, tuple[str, str]]:
    """Every part's health and its detail."""
    with httpx.Client(**way_in(url), timeout=PATIENCE) as http:
        parts = http.get("/api/health").json()["parts"]
    return {part["name"]: (part["health"], part["detail"]) for part in parts}


def test_a_running_parley_is_ready_and_healthy(scene: Scene):
    url = scene.parley.url
    with httpx.Client(base_url=split(url)[0], trust_env=False, timeout=PATIENCE) as stranger:
        assert stranger.get("/livez").status_code == 200
        assert stranger.get("/readyz").text == "ready\n"
        assert stranger.get("/api/health").status_code == stranger.get("/metrics").status_code == 401
    states = {name: state for name, (state, _) in health(url).items()}
    assert states.pop("nodes", "up") == "up"  # where nodes may share the store, once they were counted
    assert states == dict.fromkeys(("store", "agent", "telegram", "web"), "up")


def test_a_wrong_telegram_token_stops_telegram_only(tmp_path: Path):
    with TelegramSimulator() as telegram:
        wrong = {"bot_token": "1234567:somebody-elses-token-entirely", "admins": ["@alice"]}
        section = telegram_config(telegram, **wrong)
        process = begin(tmp_path, {"channels": {"telegram": section}})
        try:
            person = WebPerson(process.wait_until_up())
            assert person.ask("Hello").text.endswith("You said: Hello")
            assert health(process.url)["telegram"][0] == "refused"
            with httpx.Client(**way_in(process.url), timeout=PATIENCE) as http:
                assert http.get("/readyz").status_code == 200
            person.close()
        finally:
            end(process)
    assert "somebody-elses-token" not in process.log
    assert re.search(r"WARNING parley\S+: config.yaml:\d+: channels.telegram.admins\[0\]: ", process.log)


def test_a_second_parley_on_the_same_data_is_refused_in_one_line(scene: Scene):
    refused = parley(scene.parley.folder, "run")
    (line,) = refused.stderr.splitlines()
    # On a store that nodes share it is the agent inside that is one node's alone.
    shared = bool(CHOSEN.engine().section(scene.parley.folder))
    code, words = (2, "embedded is for one node") if shared else (1, "already running")
    assert refused.returncode == code
    assert words in line
    assert scene.parley.alive


def test_a_port_in_use_is_told_in_one_line(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        write_config(tmp_path, {"agent": {"url": "http://127.0.0.1:9"}, "console": {"port": port}})
        refused = parley(tmp_path, "run")
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert f"console.port: {port}" in line


def test_mistakes_in_the_configuration_are_listed_and_nothing_starts(tmp_path: Path):
    (tmp_path / "config.yaml").write_text("agent: {asistant: x}\nmanager: {max_turns: many}\n")
    refused = parley(tmp_path, "run")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.splitlines() == [
        'config.yaml:1: agent.asistant: unknown key; did you mean "assistant"?',
        'config.yaml:2: manager.max_turns: must be a whole number, such as "100", not "many"',
    ]
    assert not (tmp_path / "data").exists()


def test_an_assistant_that_the_agent_server_does_not_have_is_found(agent: Process, tmp_path: Path):
    config = {"agent": {**asking(agent.url), "assistant": "agnt"}, "console": {"port": 0}}
    write_config(tmp_path, config)
    checked = parley(tmp_path, "check")
    words = 'agent.assistant: the agent server has no assistant "agnt"; did you mean "agent"?'
    assert checked.returncode == 1, checked.stderr
    assert words in checked.stdout
    assert checked.stdout.endswith("\n1 mistake.\n")
    process = begin(tmp_path, config)
    try:
        process.wait_until_up()
        until_logged(process, words)
    finally:
        end(process)


def until_logged(process: Process, words: str) -> None:
    """Wait until the log has a warning with these words."""
    asyncio.run(
        until(lambda: re.search(rf"WARNING \S+ .*{re.escape(words)}", process.log), f"{words} is logged")
    )


def test_check_says_what_would_start_beside_a_running_parley(scene: Scene):
    checked = parley(scene.parley.folder, "check")
    assert checked.returncode == 0, checked.stderr
    assert "embedded, the offline demonstration" in checked.stdout
    assert "telegram  on" in checked.stdout
