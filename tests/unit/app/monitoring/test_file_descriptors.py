"""Running out of descriptors is logged with the remedy, once a minute, and is no end."""

import asyncio
import logging
import subprocess
import sys

import pytest

from parley.app.monitoring.file_descriptors import watch_descriptors
from tests.kit.machine import patience
from tests.kit.product.process import environment
from tests.kit.virtual_time import run_in_virtual_time

_CHILD = """
import os, resource
from parley.app.monitoring.file_descriptors import describe_exhaustion
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
print(repr(describe_exhaustion()))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    print(describe_exhaustion())
for each in held[:3]:
    os.close(each)
print(describe_exhaustion())
"""


def test_a_process_without_descriptors_says_so_and_lives_on() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=True,
    )
    before, none_left, few_left = done.stdout.splitlines()
    assert before == "''"
    assert none_left == "all of the 64 files that this process may have open are"
    assert "of the 64 files" in few_left


def test_it_is_said_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    @run_in_virtual_time
    async def ten_minutes() -> None:
        watching = asyncio.create_task(watch_descriptors(lambda: "all of the 64 files are"))
        await asyncio.sleep(599)
        watching.cancel()

    with caplog.at_level(logging.ERROR):
        ten_minutes()
    assert len(caplog.messages) == 10
    assert "ulimit -n" in caplog.messages[0]
