"""The processes of a sandbox: bounded by the kernel where it can, looked at all the time for the rest."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from enum import StrEnum

from parley.server.sandbox.limits import CommandLimits

_PAGE = resource.getpagesize()
_MOST_SAID = 4_096


class EndReason(StrEnum):
    """Why a command was ended; the values are what the model is told."""

    TIME = "it took too long"
    MEMORY = "its processes took too much memory"
    PROCESSES = "it started too many processes"
    FILES = "it made too many files"
    OUTPUT = "it wrote too much output"


def excess(processes: int, files: int, limits: CommandLimits, most_files: int) -> EndReason | None:
    """Return what a sandbox uses too much of, None while all is well.

    `processes` is its own /proc, `files` its folder, both opened: nothing in there can hide from them.
    """
    numbers = [name for name in os.listdir(processes) if name.isdecimal()]
    if len(numbers) > limits.processes:
        return EndReason.PROCESSES
    if _resident(processes, numbers) > limits.memory and _shared_once(processes, numbers) > limits.memory:
        return EndReason.MEMORY
    about = os.fstatvfs(files)
    return EndReason.FILES if about.f_files - about.f_ffree > most_files else None


def _resident(processes: int, numbers: Iterable[str]) -> int:
    """Return bytes; what several processes share is counted for each."""
    found = (_read(processes, f"{number}/statm").split()[1:2] for number in numbers)
    return sum(int(pages[0]) for pages in found if pages) * _PAGE


def _shared_once(processes: int, numbers: Iterable[str]) -> int:
    """Return bytes; what several processes share is counted once. This takes the kernel longer."""
    lines = (line for number in numbers for line in _read(processes, f"{number}/smaps_rollup").splitlines())
    return sum(int(line.split()[1]) for line in lines if line.startswith(b"Pss:")) * 1024


def _read(processes: int, path: str) -> bytes:
    """Return what the kernel says of a process, b"" where it ends just now."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=processes)
    except OSError:
        return b""
    try:
        return os.read(opened, _MOST_SAID)
    except OSError:
        return b""
    finally:
        os.close(opened)
