"""How many turns fit into this machine: into its memory, or its container's, and into the open files."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

FEWEST, MOST = 100, 2_000
"""Turns at once: whatever the machine has, and what was measured to work in one process."""

_PROCESS, _OF_A_TURN = 100_000_000, 100_000
"""Bytes of a process without turns (88 MB measured), and of a turn with a short answer (53 and 59 kB)."""
_OTHER_FILES = 100
"""Open files and connections beside those of turns, each of which has one to the agent server."""
_GROUP_MEMORY = Path("/sys/fs/cgroup/memory.max")


def turns_that_fit(memory: int, files: int) -> int:
    """Return how many turns half of `memory` bytes and four fifths of `files` open files are enough for."""
    by_memory = (memory // 2 - _PROCESS) // _OF_A_TURN
    by_files = files * 4 // 5 - _OTHER_FILES
    return max(FEWEST, min(MOST, by_memory, by_files))


def turns_of_this_machine() -> int:
    """Return the same for this process, as it may be limited."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return turns_that_fit(memory_limit(), 2**31 if files == resource.RLIM_INFINITY else files)


def memory_limit(group: Path = _GROUP_MEMORY) -> int:
    """Return the bytes of memory of this machine, or of the container where that may have fewer."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no such group, or "max": no limit
        memory = min(memory, int(group.read_text("ascii")))
    return memory
