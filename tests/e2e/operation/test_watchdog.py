"""`parley run --watched`: a process that is frozen or crashed is replaced, and the people are answered."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.machine import patience
from tests.kit.product.process import PATIENCE, Process
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]


# A busy machine must not be taken for a frozen process.
SECONDS = round(min(60.0, patience(5)))


def child_of(parent: int) -> int:
    """The real process of a parent that watches; waits until there is one."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        if found:
            return int(found[0])
        time.sleep(0.05)
    raise AssertionError("there is no child")


def memory_of(process: int) -> int:
    """Resident memory in kB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def parent_of(process: Process) -> int:
    assert process._child is not None
    return process._child.pid


@pytest.mark.parametrize("blow", [signal.SIGSTOP, signal.SIGKILL])
def test_a_frozen_or_crashed_process_is_replaced_and_goes_on(tmp_path: Path, blow: signal.Signals) -> None:
    process = begin(tmp_path, {}, "run", "--watched", str(SECONDS))
    try:
        process.wait_until_up()
        first = child_of(parent_of(process))
        assert memory_of(parent_of(process)) < 20_000
        process.url = ""
        os.kill(first, blow)
        process.wait_until_up()
        assert child_of(parent_of(process)) != first
        with closing(WebPerson(process.url)) as person:
            assert "hello" in person.ask("hello").text.lower()
        last = child_of(parent_of(process))
        assert process.terminate() == 0
        assert not Path(f"/proc/{last}").exists()
        said = f"was frozen for {SECONDS} s" if blow is signal.SIGSTOP else "was ended by SIGKILL"
        assert said in process.log
        assert "Stopped; unfinished work continues" in process.printed
    finally:
        end(process)


def test_a_mistake_in_the_configuration_is_told_once(tmp_path: Path) -> None:
    process = begin(tmp_path, {"agent": {"no_such_key": 1}}, "run", "--watched")
    try:
        assert process.wait() == 2
        assert process.log.count("no_such_key") == 1
        assert "Not started again" in process.log
    finally:
        end(process)
