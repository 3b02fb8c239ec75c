"""Commands in a sandbox, and a machine around it that has something to find."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.isolation.programs import stand_in
from parley.server.sandbox.limits import CommandLimits
from parley.server.sandbox.sandbox import CommandResult, Sandbox
from parley.server.workspace.folder import WorkspaceFolder
from parley.server.workspace.workspaces import Workspaces

SECRET = "secret-of-the-machine"
LIMITS = CommandLimits(seconds=30, memory=100_000_000, processes=20, output=4_000)


@dataclass
class Bench:
    """A workspace, and commands in it."""

    isolation: Isolation
    spaces: Workspaces
    folder: WorkspaceFolder

    async def run(self, command: str, seconds: float = LIMITS.seconds) -> CommandResult:
        return await Sandbox(self.isolation, replace(LIMITS, seconds=seconds)).run(self.folder, command)

    async def says(self, command: str) -> str:
        """What it writes, and how it ended."""
        result = await self.run(command)
        return f"{result.ending.output}\n{result.ending.exit_code} {result.ending.reason}"

    async def python(self, program: str) -> str:
        """What a program in Python writes, which lies in the workspace."""
        if not os.access("/usr/bin/python3", os.X_OK):
            pytest.skip("there is no /usr/bin/python3 to attack with")
        self.folder.write("/attack.py", program.encode())
        return await self.says("/usr/bin/python3 -I attack.py")

    def paths(self) -> list[str]:
        return sorted(entry.path for entry in self.folder.walk())


@contextmanager
def open_place() -> Iterator[Path]:
    """A folder that everybody on the machine may read and write: what keeps a command out is the sandbox."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def done(*command: str) -> str:
    """What a program of the machine writes."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the very user that commands run as."""
    process = subprocess.Popen(["/bin/sleep", "600"], user=stand_in(), cwd="/")
    try:
        yield process
    finally:
        process.kill()
        process.wait()
