"""What isolates commands: a program of the machine's that starts one in a sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from parley.server.sandbox.limits import CommandLimits


@dataclass(frozen=True, slots=True)
class Launch:
    """How a sandbox is started: its command line, the descriptors that it inherits, and its first process.

    The first process waits for its word; `first_process` returns its number once it does.
    """

    command: Sequence[str]
    first_process: Callable[[], Awaitable[int]]
    descriptors: tuple[int, ...] = ()


class Isolation(Protocol):
    """Isolates commands in one way."""

    @property
    def name(self) -> str:
        """What the program is called."""

    def version(self) -> str:
        """Return name and version of the program. Raises SandboxFailed where it is not installed."""

    def launch(self, command: str, limits: CommandLimits, size: int) -> AbstractContextManager[Launch]:
        """Prepare a sandbox for a command, which may write `size` bytes, until the end of the block.

        Raises SandboxFailed where a program for it is not installed, and OSError.
        """
