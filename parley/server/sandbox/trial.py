"""Tries whether commands can be run here: what holds is what was seen to hold."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from parley.server.sandbox.bubblewrap import VISIBLE, found_program
from parley.server.sandbox.limits import CommandLimits, SandboxFailed
from parley.server.sandbox.sandbox import Sandbox
from parley.server.workspace.workspaces import Workspaces

_TRIED = "printf done > tried | cat && cat tried"


def try_sandbox(limits: CommandLimits, private: Iterable[Path]) -> str:
    """Run a command in a sandbox, and return what isolates it here. Raises SandboxFailed with the reason.

    `private` are folders that commands must not be able to read.
    """
    for folder in private:
        if folder.resolve().is_relative_to(VISIBLE):
            raise SandboxFailed(f"{folder} is below {VISIBLE}, which commands can read; move it")
    version = subprocess.run(
        [found_program("bwrap", "bubblewrap"), "--version"], capture_output=True, text=True, check=False
    )
    # In a thread of its own: there may be a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(_try(limits))).result()
    return version.stdout.strip()


async def _try(limits: CommandLimits) -> None:
    try:
        with TemporaryDirectory() as folder:
            workspace = Workspaces(Path(folder)).of(str(uuid4()))
            result = await Sandbox(limits).run(workspace, _TRIED)
            if result.ending.output != "done" or workspace.read("/tried") != b"done":
                raise SandboxFailed(f"a command could not be tried: {result.ending.output[:300]}")
    except OSError as error:
        raise SandboxFailed(f"a command could not be tried: {error}") from error
