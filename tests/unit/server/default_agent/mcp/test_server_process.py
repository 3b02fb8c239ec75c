"""The process of a server that is a command ends with the one that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from parley.server.default_agent.mcp.connection import McpConnection, ServerAway
from parley.server.default_agent.mcp.server_file import McpServer
from tests.kit.bounded_process import BoundedProcess
from tests.kit.checkout import ROOT
from tests.kit.waiting import until

STUBBORN = Path(__file__).with_name("stubborn_server.py")


def pids(folder: Path) -> list[int]:
    file = folder / "pids"
    return list(map(int, file.read_text().split())) if file.exists() else []


def running(folder: Path) -> list[int]:
    """Return which of the server's processes have not ended; one that nobody waits for has."""
    states = subprocess.run(
        ["ps", "-o", "pid=,stat=", "-p", ",".join(map(str, pids(folder)))],
        capture_output=True,
        text=True,
        check=False,
    )
    rows = (line.split() for line in states.stdout.splitlines())
    return [int(pid) for pid, state in rows if not state.startswith("Z")]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where the server runs; what it leaves is ended."""
    yield tmp_path
    for pid in pids(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


async def test_a_server_that_ignores_the_end_of_its_input_ends_with_a_process_that_is_killed(
    folder: Path,
) -> None:
    module = f"{__package__}.connected_process"
    with BoundedProcess[bytes](
        [sys.executable, "-m", module, str(STUBBORN), str(folder)], cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"connected\n"
            assert len(running(folder)) == 2, "the server, and what it started"
        finally:
            process.kill()
    await until(lambda: not running(folder), "the server and what it started have ended")


async def test_it_ends_with_its_connection(folder: Path) -> None:
    server = McpServer("stubborn", "stdio", sys.executable, (str(STUBBORN),), folder=str(folder))
    connection = McpConnection(server, 60.0)
    await connection.connect()
    assert len(running(folder)) == 2
    await connection.close()
    await until(lambda: not running(folder), "the server and what it started have ended")


@pytest.mark.parametrize("command", ["no-such-command", "./no-such-command", "/no/such/command"])
async def test_a_command_that_is_not_there_is_named(folder: Path, command: str) -> None:
    connection = McpConnection(McpServer("none", "stdio", command, folder=str(folder)), 60.0)
    with pytest.raises(ServerAway):
        await connection.connect()
    assert connection.away == f"FileNotFoundError: [Errno 2] No such file or directory: '{command}'"
