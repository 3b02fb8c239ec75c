"""The parent that watches, over small processes; what tells systemd; how late the loop is."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.requests import Request

from parley.app.monitoring.loop_lag import LoopLag
from parley.app.process.heartbeat import Heartbeat
from parley.app.process.watchdog import CONFIG_ERROR_EXIT, parse_watched
from parley.console.api.metrics import metrics_route
from tests.kit.bounded_process import BoundedProcess
from tests.kit.checkout import ROOT
from tests.kit.machine import patience

_PARENT = (
    "import sys; from parley.app.process.watchdog import run_watched\n"
    "sys.exit(run_watched(sys.argv[2:], float(sys.argv[1])))"
)
# Beats once, by hand; what comes after it is the life of the child, whose number is `life`.
_CHILD = """
import faulthandler, os, pathlib, signal, sys, time
faulthandler.enable()
pipe = int(os.environ["PARLEY_WATCHDOG"].split()[0])
lives = pathlib.Path("lives")
life = len(lives.read_text()) if lives.exists() else 0
lives.write_text("x" * (life + 1))
def beat(): os.write(pipe, b".")
"""


def watch(folder: Path, life: str, seconds: float = 600.0) -> subprocess.CompletedProcess[str]:
    child = [sys.executable, "-c", _CHILD + life]
    return subprocess.run(
        [sys.executable, "-c", _PARENT, str(seconds), *child],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=False,
    )


def lives(folder: Path) -> int:
    return len((folder / "lives").read_text())


def test_a_frozen_process_says_where_it_stands_and_is_started_again(tmp_path: Path) -> None:
    ended = watch(tmp_path, "if life: sys.exit()\nbeat()\nwhile True: pass", seconds=0.5)
    assert (ended.returncode, lives(tmp_path)) == (0, 2)
    assert "Fatal Python error: Aborted" in ended.stderr
    assert "was frozen for 0.5 s and has been ended; it is started again in 1 s" in ended.stderr


def test_a_stopped_process_too(tmp_path: Path) -> None:
    ended = watch(tmp_path, "if life: sys.exit()\nbeat()\nos.kill(os.getpid(), signal.SIGSTOP)", seconds=0.5)
    assert (ended.returncode, lives(tmp_path)) == (0, 2)


def test_a_start_may_take_as_long_as_it_likes(tmp_path: Path) -> None:
    ended = watch(tmp_path, "time.sleep(2)", seconds=0.2)
    assert (ended.returncode, lives(tmp_path), ended.stderr) == (0, 1, "")


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "beat(); sys.exit(1)"])
def test_a_crash_is_followed_by_a_new_start_with_growing_pauses(tmp_path: Path, end: str) -> None:
    ended = watch(tmp_path, f"if life < 2: {end}")
    assert (ended.returncode, lives(tmp_path)) == (0, 3)
    assert [f"again in {pause} s" in ended.stderr for pause in (1, 2)] == [True, True]


@pytest.mark.parametrize("code", [1, CONFIG_ERROR_EXIT])
def test_what_cannot_start_is_not_started_again(tmp_path: Path, code: int) -> None:
    ended = watch(tmp_path, f"sys.exit({code})")
    assert (ended.returncode, lives(tmp_path)) == (code, 1)
    assert ("Not started again" in ended.stderr) is (code == CONFIG_ERROR_EXIT)


def test_a_mistake_after_a_crash_ends_it(tmp_path: Path) -> None:
    ended = watch(tmp_path, "beat()\nif not life: os.kill(os.getpid(), 9)\nsys.exit(2)")
    assert (ended.returncode, lives(tmp_path)) == (CONFIG_ERROR_EXIT, 2)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run"], None),
        (["check", "--watched"], None),
        (["run", "--watched"], (["run"], 60.0)),
        (["run", "--watched", "5", "-v"], (["run", "-v"], 5.0)),
        (["run", "--watched=2.5", "--config", "x"], (["run", "--config", "x"], 2.5)),
        (["run", "--watched", "--verbose"], (["run", "--verbose"], 60.0)),
        (["run", "--watched", "soon"], None),
    ],
)
def test_what_is_watched(arguments: list[str], expected: object) -> None:
    assert parse_watched(arguments) == expected


@pytest.mark.parametrize("abstract", [False, True])
async def test_systemd_hears_of_start_life_and_end(tmp_path: Path, abstract: bool) -> None:
    address = f"@parley-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address.replace("@", "\0"))
        systemd.setblocking(False)
        told = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "40000", "WATCHDOG_PID": str(os.getpid())}
        heartbeat = Heartbeat(told, lambda: None)
        heartbeat.start()
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(patience(20)):
            heard = [await loop.sock_recv(systemd, 100) for _ in range(3)]
            heartbeat.stopping()
            while (last := await loop.sock_recv(systemd, 100)) == b"WATCHDOG=1":
                pass
        assert heard == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
        assert last == b"STOPPING=1"
        assert told == {}, "children of ours must not speak for us"


async def test_nobody_who_watches_is_no_error() -> None:
    heartbeat = Heartbeat({"PARLEY_WATCHDOG": "rubbish", "NOTIFY_SOCKET": "/nowhere"}, lambda: None)
    heartbeat.start()
    heartbeat.stopping()


async def test_without_the_parent_it_stops() -> None:
    orphaned = asyncio.Event()
    reading, writing = os.pipe()
    os.close(reading)
    heartbeat = Heartbeat({"PARLEY_WATCHDOG": f"{writing} 0.04"}, orphaned.set)
    heartbeat.start()
    async with asyncio.timeout(patience(20)):
        await orphaned.wait()
    os.close(writing)


async def test_a_loop_that_is_late_is_counted_and_told_of_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.0
    late = iter([0.0, 0.003, 3.0, 40.0, 30.0])

    async def sleep(seconds: float) -> None:
        nonlocal now
        lag = next(late, None)
        if lag is None:
            raise asyncio.CancelledError
        now += seconds + lag

    lag = LoopLag(lambda: now, sleep)
    with caplog.at_level(logging.WARNING), pytest.raises(asyncio.CancelledError):
        await lag.run()
    assert [each.getMessage() for each in caplog.records] == [
        "the event loop was held up for 3.0 s: everything waited",
        "the event loop was held up for 30.0 s: everything waited",
    ]
    scraped = await metrics_route(lambda: [*lag.histogram.collect()]).endpoint(
        Request({"type": "http", "headers": []})
    )
    lines = bytes(scraped.body).decode().splitlines()
    assert "# TYPE parley_loop_lag_seconds histogram" in lines
    for line in ('_bucket{le="0.005"} 2.0', '_bucket{le="5.0"} 3.0', '_bucket{le="+Inf"} 5.0', "_count 5.0"):
        assert f"parley_loop_lag_seconds{line}" in lines


def test_who_served_once_comes_back_after_a_start_that_failed(tmp_path: Path) -> None:
    ended = watch(
        tmp_path, "if life == 0: beat(); time.sleep(0.5); os.kill(os.getpid(), 9)\nif life == 1: sys.exit(1)"
    )
    assert (ended.returncode, lives(tmp_path)) == (0, 3)


def test_the_signals_are_passed_on(tmp_path: Path) -> None:
    script = (
        "signal.signal(2, lambda *_: sys.exit(0))\nparent = os.getppid()\nprint('up', flush=True)\n"
        "while os.getppid() == parent: time.sleep(0.05)"
    )
    command = [sys.executable, "-c", _PARENT, "600", sys.executable, "-c", _CHILD + script]
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    with BoundedProcess(command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        parent.send_signal(signal.SIGINT)
        assert parent.wait(patience(60)) == 0
