"""`parley check` says with what commands are isolated, or why they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.app.checks.commands import check_commands
from parley.app.composition.embedded.options import embedded_options
from parley.app.settings.load import LoadedSettings, read_settings
from parley.core.model.errors import ConfigError
from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.limits import CommandLimits
from tests.kit.product.sandbox import ISOLATIONS, find_only, skip_without_sandbox

MODEL = "agent: {model: 'openai:a', model_api_key: k}\n"
ON = "  sandbox: {enabled: true, timeout: 9, memory: 64 MB, processes: 12, output: 500, at_once: 3}\n"
FILES = "  workspace: {enabled: true}\n"


def loaded(text: str, folder: Path) -> LoadedSettings:
    return read_settings(text, "config.yaml", {}, folder)


@pytest.mark.parametrize(
    ("isolation", "said"), list(zip(ISOLATIONS, ("bubblewrap ", "runc 1."), strict=True))
)
def test_what_isolates_them_is_said_and_the_limits_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: Isolation, said: str
) -> None:
    skip_without_sandbox(isolation)
    find_only((isolation.name, "setpriv"), tmp_path, monkeypatch)
    settings = loaded(f"{MODEL}built_in:\n{FILES}{ON}", tmp_path)
    found = check_commands(settings)
    assert found.mistakes == ()
    assert found.known[0].startswith(f"Commands run in a sandbox by {said}")
    commands = embedded_options(settings).default_agent.commands
    assert commands is not None
    assert commands.isolation == isolation
    assert commands.limits == CommandLimits(9, 64_000_000, 12, 500, 3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"built_in:\n{ON}", "commands work on files; write workspace: {enabled: true}, too"),
        (f"built_in:\n{FILES}{ON}", "bwrap is not installed; install the package bubblewrap"),
    ],
)
def test_why_they_cannot_be_run_is_said_and_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    settings = loaded(MODEL + text, tmp_path)
    (mistake,) = check_commands(settings).mistakes
    assert mistake.path == ("built_in", "sandbox")
    assert mistake.text.startswith(why), "in a container more is said of it"
    with pytest.raises(ConfigError, match=r"built_in\.sandbox: "):
        embedded_options(settings)


def test_nothing_is_tried_while_they_are_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    settings = loaded(f"{MODEL}built_in:\n{FILES}", tmp_path)
    assert check_commands(settings).mistakes == ()
    assert embedded_options(settings).default_agent.commands is None
