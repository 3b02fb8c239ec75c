"""A test that nobody told of its time limit fails all the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT

SAMPLE = """
import asyncio, time
import pytest

async def spin():
    while True:
        time.sleep(0.001)

@pytest.mark.timeout(1)
def test_a_task_is_broken_off():
    async def work():
        await asyncio.wait([asyncio.ensure_future(spin())])
    asyncio.run(work())

@pytest.mark.timeout(60)
def test_in_time():
    pass
"""
CONFTEST = """
from tests.suites.time_limit import TimeLimits

def pytest_configure(config):
    config.pluginmanager.register(TimeLimits())
"""


def test_who_is_broken_off_within_a_task_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    (tmp_path / "test_sample.py").write_text(SAMPLE, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "test_sample.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert re.search(r"^FAILED .*::test_a_task_is_broken_off", done.stdout, re.MULTILINE), done.stdout
    assert "ran into its time limit" in done.stdout
    assert re.search(r"^PASSED .*::test_in_time", done.stdout, re.MULTILINE), done.stdout
