"""A pytest plugin that writes down, as it happens, what came of each test: `--record FOLDER`.

Each failure has a log of its own there, with the traceback and all that was captured.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

EVENTS = "events.jsonl"
_MOST_OF_A_REASON = 500


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, help="the folder for what came of each test")


def pytest_configure(config: pytest.Config) -> None:
    # With several processes only the first hears of all tests.
    folder: Path | None = config.getoption("--record")
    if folder is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(folder, config))


class _Recorder:
    def __init__(self, folder: Path, config: pytest.Config) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._config = folder, config
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write(event="began", test=nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._failed(report)
        if report.when == "teardown":
            self._write(event="ended", test=report.nodeid, seconds=round(self._seconds[report.nodeid], 3))

    def _failed(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        log = self._folder / (re.sub(r"[^\w.-]+", "_", report.nodeid.removeprefix("tests/"))[-150:] + ".log")
        sections = "".join(f"\n--- {title}\n{text}\n" for title, text in report.sections)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{report.longreprtext}\n{sections}")
        reason, place = _told(report)
        self._write(event="failed", test=report.nodeid, reason=reason, place=place, log=str(log))

    def _write(self, **event: str | float) -> None:
        with (self._folder / EVENTS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(event, ensure_ascii=False) + "\n")


def _told(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str]:
    """Return why it failed, cut to a few lines, and the file and line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        errors = [
            line.removeprefix("E").strip() for line in report.longreprtext.splitlines() if line[:2] == "E "
        ]
        return ("\n".join(errors) or report.longreprtext)[-_MOST_OF_A_REASON:].strip(), ""
    return crash.message[:_MOST_OF_A_REASON].strip(), f"{crash.path}:{crash.lineno}"
