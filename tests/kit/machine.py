"""How slow this machine is now, and so how long a test waits for something that must happen.

Deadlines are written for a quiet machine; `patience` stretches them for this one. It is measured once for
each run of a suite, at its start, and handed on to all processes of that run in the environment.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256

VARIABLE = "PARLEY_TEST_SLOWNESS"
SPARE = 2.0
"""A machine may become slower after it was measured: a neighbour wakes, our own suites run side by side."""
MOST = 40.0
_SAMPLES = 5


def work() -> None:
    """A fixed piece of work for the processor."""
    digest = b"parley"
    for _ in range(40_000):
        digest = sha256(digest).digest()


def flush() -> None:
    """Write a page to the disk that tests write to."""
    with tempfile.TemporaryFile() as file:
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())


def start() -> None:
    """Start a process and wait for its end."""
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)


# Seconds on two quiet cores of 2026. A disk counts from 10 ms on: a suite is seldom waiting for it.
_QUIET: dict[Callable[[], None], float] = {work: 0.020, flush: 0.010, start: 0.012}


def measure() -> float:
    """Return how many times slower than a quiet machine this one is now, at least 1: by its slowest part."""
    found = [_median(piece) / quiet for piece, quiet in _QUIET.items()]
    return max(1.0, *found)


@cache
def slowness() -> float:
    """Return what deadlines are multiplied by in this run: measured now, or handed on by who started us."""
    with suppress(KeyError, ValueError):
        return float(os.environ[VARIABLE])
    found = round(min(MOST, SPARE * measure()), 2)
    os.environ[VARIABLE] = str(found)
    return found


def patience(seconds: float) -> float:
    """Return how long to wait here for what takes much less than `seconds` on a quiet machine."""
    return seconds * slowness()


def _median(piece: Callable[[], None]) -> float:
    return statistics.median(_seconds(piece) for _ in range(_SAMPLES))


def _seconds(piece: Callable[[], None]) -> float:
    began = time.perf_counter()
    piece()
    return time.perf_counter() - began
