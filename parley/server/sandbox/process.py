"""A sandbox as a process: begun, watched, and ended with all that was started in it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from parley.server.sandbox.isolation.interface import Isolation, Launch
from parley.server.sandbox.isolation.surroundings import READY, WORKSPACE
from parley.server.sandbox.limits import CommandLimits, SandboxNotStarted
from parley.server.sandbox.output import KeptOutput
from parley.server.sandbox.threads import run_to_its_end, until_done
from parley.server.sandbox.watch import EndReason, excess

_START = 15.0
_PAUSE = 0.05
_PIECE = 65_536
_MOST_SAID = 300
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended: by itself with an exit code, or for a reason; after `seconds`."""

    output: str
    seconds: float
    exit_code: int | None = None
    reason: EndReason | None = None


@dataclass(frozen=True, slots=True)
class ConfinedProcess:
    """A sandbox that waits for its word: a handle of its first process, its own /proc, and its files."""

    program: Process
    handle: int
    processes: int
    files: int

    async def run(self, limits: CommandLimits, most_files: int) -> Ending:
        """Give it the word; returns once nothing runs in it any more. Raises OSError."""
        begin, kept = time.monotonic(), KeptOutput(limits.output)
        if self.program.stdin is not None:
            self.program.stdin.write(b"go\n")
            self.program.stdin.close()
        watch = asyncio.create_task(self._watch(limits, most_files, kept))
        try:
            await self._read(kept)
            code = await self.program.wait()
            await self._gone()
        finally:
            # It looks into what is closed after this.
            watch.cancel()
            await until_done(watch)
        reason = None if watch.cancelled() else watch.result()
        return Ending(kept.text(), time.monotonic() - begin, None if reason else code, reason)

    def kill(self) -> None:
        """End all its processes: the kernel ends them with the first."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)

    async def _read(self, kept: KeptOutput) -> None:
        if self.program.stdout is not None:
            while piece := await self.program.stdout.read(_PIECE):
                kept.add(piece)

    async def _watch(self, limits: CommandLimits, most_files: int, kept: KeptOutput) -> EndReason:
        """Return why it had to be ended."""
        until = time.monotonic() + limits.seconds
        while True:
            reason = await run_to_its_end(excess, self.processes, self.files, limits, most_files)
            if kept.too_much:
                reason = EndReason.OUTPUT
            elif time.monotonic() > until:
                reason = EndReason.TIME
            if reason:
                self.kill()
                return reason
            await asyncio.sleep(_PAUSE)

    async def _gone(self) -> None:
        """Wait until the last process has ended: the first is not gone before."""
        loop, gone = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.handle, gone.set)
        try:
            await gone.wait()
        finally:
            loop.remove_reader(self.handle)


@asynccontextmanager
async def confined_process(
    isolation: Isolation, command: str, limits: CommandLimits, size: int
) -> AsyncIterator[ConfinedProcess]:
    """A sandbox for a command, which may write `size` bytes. Raises SandboxFailed and OSError."""
    async with AsyncExitStack() as stack:
        launch = stack.enter_context(isolation.launch(command, limits, size))
        program = await asyncio.create_subprocess_exec(
            *launch.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
            pass_fds=launch.descriptors,
            env={},
            start_new_session=True,
        )
        stack.push_async_callback(_ended, program)
        first = await _until_ready(isolation.name, program, launch)
        confined = _entered(program, first, stack)
        stack.callback(confined.kill)
        yield confined


async def _until_ready(name: str, program: Process, launch: Launch) -> int:
    """Wait until everything is prepared; returns the number of the first process in there.

    Raises SandboxNotStarted with what the program says.
    """
    said = b""
    if program.stdout is not None:
        with suppress(TimeoutError, ValueError):
            async with asyncio.timeout(_START):
                said = await program.stdout.readline()
                if said == READY:
                    return await launch.first_process()
    raise SandboxNotStarted(said[:_MOST_SAID].decode(errors="replace").strip() or f"{name} does not start")


def _entered(program: Process, first: int, stack: AsyncExitStack) -> ConfinedProcess:
    """Open what is needed of a sandbox in which nothing of the command's runs yet. Raises OSError."""
    opened = [os.pidfd_open(first)]
    stack.callback(os.close, opened[0])
    for path in ("proc", WORKSPACE.removeprefix("/")):
        opened.append(os.open(f"/proc/{first}/root/{path}", _FOLDER))
        stack.callback(os.close, opened[-1])
    return ConfinedProcess(program, *opened)


async def _ended(program: Process) -> None:
    """End the program, with which its sandbox ends, where it has not."""
    if program.returncode is None:
        with suppress(ProcessLookupError):
            program.kill()
        await program.wait()
