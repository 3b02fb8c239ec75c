"""What a command may use, and what is wrong where it cannot be run."""

from __future__ import annotations

from dataclasses import dataclass


class SandboxFailed(Exception):
    """There is no sandbox here, or a command is none; the text says why."""


class SandboxNotStarted(SandboxFailed):
    """A sandbox does not start here; the text is what the program says that makes it."""


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """What one command may use.

    `seconds` of time, and of processor time in each process; bytes of `memory` for all its processes
    together, which are at most `processes`, with the two shells around it; `output` is the number of bytes
    that are kept of what it writes. Further commands than `at_once` wait.
    """

    seconds: float = 60.0
    memory: int = 512_000_000
    processes: int = 32
    output: int = 20_000
    at_once: int = 2


USUAL_LIMITS = CommandLimits()
