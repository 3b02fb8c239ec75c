"""`parley check --live` and `parley check --replay` as an operator types them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from parley.app.cli.main import main
from parley.app.live.steps import STEPS
from parley.simulator.registry import operating
from tests.kit.bounded_process import BoundedProcess
from tests.kit.machine import patience

pytestmark = pytest.mark.timeout(180)
LAZY = ("mention", "long")


def config(folder, **channels):
    """JSON is YAML too."""
    file = folder / "config.yaml"
    file.write_text(json.dumps({"console": {"port": 0}, "channels": channels}), "utf-8")
    return str(file)


def test_an_operator_is_led_through_a_walk_and_the_recording_proves_the_simulator(tmp_path, capsys):
    recording = tmp_path / "live.jsonl"
    with operating("dingtalk") as simulated:
        file = config(tmp_path, dingtalk=dict(simulated.settings))
        command = [sys.executable, "-m", "parley", "check", "--config", file, "--live", "dingtalk", "--to"]
        with BoundedProcess(
            [*command, str(recording)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if found := re.match(r"\[(\d)/8\] ", line):
                    step = STEPS[int(found[1]) - 1]
                    if step.name in LAZY:
                        process.stdin.write("\n")
                        process.stdin.flush()
                    else:
                        simulated.act(step.name, ["hello there"] * step.count)
            assert process.wait(patience(20)) == 0
    text = "".join(said)
    assert [step.prompt for step in STEPS if step.prompt not in text] == []
    assert text.count("left out") == len(LAZY)
    assert "burst: 5 of 5 came" in text
    assert f"parley check --replay {recording}" in text

    assert main(["check", "--replay", str(recording)]) == 0
    printed = capsys.readouterr().out
    assert "steps on the platform: message, thread, file, button, forward, burst" in printed
    assert printed.endswith("No differences.\n")

    lied = recording.read_text("utf-8").replace('"createAt\\": ', '"createdAtAll\\": ')
    recording.write_text(lied, "utf-8")
    assert main(["check", "--replay", str(recording)]) == 1
    printed = capsys.readouterr().out
    assert ".createdAtAll (number) is missing in the simulator" in printed
    assert re.search(r"\d+ differences?\.\n\Z", printed)


def test_without_a_connection_no_file_stays(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with operating("telegram") as simulated:
        wrong = dict(simulated.settings) | {"bot_token": "123456:AAbbccddeeffgghhiijjkkllmmnnoo"}
        assert main(["check", "--config", config(tmp_path, telegram=wrong), "--live", "telegram"]) == 1
    assert "Telegram refused the bot token" in capsys.readouterr().err
    assert list(tmp_path.glob("*.jsonl")) == []


def test_what_cannot_be_walked_is_said_with_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    telegram = {"bot_token": "123456:AAbbccddeeffgghhiijjkkllmmnnoo", "allowed_users": ["*"]}
    file = config(tmp_path, telegram=telegram | {"webhook_url": "https://bots.example.org/hooks/telegram"})
    assert main(["check", "--config", file, "--live", "slack"]) == 2
    assert (
        "slack is no channel of a chat platform that is on; there are: telegram." in capsys.readouterr().err
    )
    assert main(["check", "--config", file, "--live", "web"]) == 2
    capsys.readouterr()
    assert main(["check", "--config", file, "--live", "telegram"]) == 2
    assert "waits for events at a web address" in capsys.readouterr().err
    file = config(tmp_path, telegram=telegram)
    (tmp_path / "live-telegram.jsonl").write_text("mine", "utf-8")
    assert main(["check", "--config", file, "--live", "telegram"]) == 2
    assert "live-telegram.jsonl is there already: move it away" in capsys.readouterr().err
    assert main(["check", "--replay", str(tmp_path / "live-telegram.jsonl")]) == 1
    assert "live-telegram.jsonl:1: this is no JSON object" in capsys.readouterr().err
