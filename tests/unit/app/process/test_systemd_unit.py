"""The unit of docs/watchdog.md is one that systemd reads, and starts what there is."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from parley.app.cli.main import parser
from parley.app.process.watchdog import CONFIG_ERROR_EXIT
from tests.kit.checkout import ROOT
from tests.kit.machine import patience


def unit() -> str:
    text = (ROOT / "docs" / "watchdog.md").read_text("utf-8")
    return text.split("```ini\n", 1)[1].split("```", 1)[0]


def test_it_parses_and_names_a_command_that_there_is() -> None:
    read = configparser.ConfigParser(interpolation=None, strict=True)
    read.optionxform = str  # type: ignore[assignment,method-assign]  # as systemd: case matters
    read.read_string(unit())
    service = read["Service"]
    _, _, module, *arguments = service["ExecStart"].split()
    assert (module, parser().parse_args(arguments).command) == ("parley", "run")
    assert (service["Type"], service.getint("RestartPreventExitStatus")) == ("notify", CONFIG_ERROR_EXIT)
    assert (service.getint("WatchdogSec") or 0) > 0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_has_nothing_against_it(tmp_path: Path) -> None:
    python = shutil.which("true") or ""
    file = tmp_path / "parley.service"
    file.write_text(
        unit().replace("/opt/parley/.venv/bin/python", python).replace("User=parley", "User=root")
    )
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=False,
    )
    assert "parley.service" not in verified.stderr, verified.stderr
