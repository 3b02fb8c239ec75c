"""Runs a shell command on a copy of a workspace, where it reaches nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from parley.server.sandbox.file_copy import NO_CHANGES, FileChanges, copy_back, copy_in
from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.isolation.programs import stand_in
from parley.server.sandbox.limits import USUAL_LIMITS, CommandLimits, SandboxFailed
from parley.server.sandbox.process import Ending, confined_process
from parley.server.sandbox.threads import run_to_its_end
from parley.server.workspace.folder import WorkspaceFolder

MOST_COMMAND = 20_000
"""Bytes; the kernel takes no more than 131,071 in one argument."""
_TEMPORARY = 64_000_000
_TEMPORARY_FILES = 1_000


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended, and what it changed: nothing where it was ended."""

    ending: Ending
    changes: FileChanges = NO_CHANGES


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Runs commands, a few at a time."""

    isolation: Isolation
    limits: CommandLimits = USUAL_LIMITS
    _places: asyncio.Semaphore = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", asyncio.Semaphore(self.limits.at_once))

    async def run(self, folder: WorkspaceFolder, command: str) -> CommandResult:
        """Run it by the shell, and then take over what it wrote, unless it was ended.

        When this is cancelled, or this process ends, so do all processes of the command. Raises
        SandboxFailed, also for a command that no shell can be given, and OSError.
        """
        _check(command)
        size, files = folder.limits.size + _TEMPORARY, folder.limits.files + _TEMPORARY_FILES
        confinement = confined_process(self.isolation, command, self.limits, size)
        async with self._places, confinement as confined:
            before = await run_to_its_end(copy_in, folder, confined.files, stand_in())
            ending = await confined.run(self.limits, files)
            if ending.reason:
                return CommandResult(ending)
            changes = await run_to_its_end(copy_back, folder, confined.files, stand_in(), before)
            return CommandResult(ending, changes)


def _check(command: str) -> None:
    try:
        size = len(command.encode())
    except UnicodeEncodeError as error:
        raise SandboxFailed("the command has a character that is none") from error
    if size > MOST_COMMAND or "\0" in command or not command.strip():
        raise SandboxFailed(f"a command has 1 to {MOST_COMMAND} bytes and no NUL; write more to a file")
