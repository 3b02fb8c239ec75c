"""Processes that are told things in lines, and answer in lines."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.kit.machine import patience
from tests.kit.product.process import environment

PATIENCE = patience(60.0)
"""Seconds for anything that a child is asked for, beyond the time that it is meant to take."""
_LIMIT = 2**26


class Child:
    """A Python module in a process of its own; its standard error goes to `log`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def log(self) -> str:
        """What it has logged."""
        return self._log.read_text("utf-8", errors="replace")

    async def line_with(self, word: str, patience: float = PATIENCE) -> str:
        """Its next line that has `word` in it. Raises AssertionError when none comes."""
        assert self._process.stdout is not None
        async with asyncio.timeout(patience):
            while line := (await self._process.stdout.readline()).decode():
                if word in line:
                    return line.strip()
        raise AssertionError(f"it ended without {word!r}:\n{self.log[-3000:]}")

    async def told(self, patience: float = PATIENCE) -> object:
        """The JSON object of its next line."""
        return json.loads(await self.line_with("{", patience))

    def tell(self, line: str) -> None:
        """Say something to it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    def hold(self) -> None:
        """Stop its clock: connections to it are taken by the kernel, and nobody answers."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """The end of that."""
        self._process.send_signal(signal.SIGCONT)

    async def end(self) -> None:
        """Ask it to end, and wait for that."""
        if self._process.returncode is None:
            self.go_on()
            self._process.terminate()
        async with asyncio.timeout(PATIENCE):
            await self._process.wait()


@asynccontextmanager
async def child(folder: Path, module: str, *arguments: str) -> AsyncIterator[Child]:
    """`python -m module` in `folder`, until this is left."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - nothing else runs yet
    log = folder / "log"
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module, *arguments),
            cwd=folder,
            env=environment(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            limit=_LIMIT,
        )
    started = Child(process, log)
    try:
        yield started
    finally:
        await started.end()
