"""The record of commands: which, for whom, where, and how each ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that was run. `account` and `conversation` are keys, "" where they are not known."""

    account: str
    conversation: str
    thread: str
    command: str
    outcome: str
    seconds: float


RecordCommand: TypeAlias = Callable[[CommandRun], Awaitable[None]]
"""Keeps one; never raises."""


async def record_nothing(run: CommandRun) -> None:
    """Keep it nowhere but in the log."""
