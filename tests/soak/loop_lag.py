"""`parley run` with somebody in its event loop who writes down how late the loop is.

`python -m tests.soak.loop_lag LAGS run ...` is Parley itself; at its end LAGS holds a line for each sample:
when it was due (monotonic seconds), by how many milliseconds it came late, and for how many of them its
thread only waited for a core that other programs had.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import uvloop

from parley.app.cli.main import main

EVERY = 0.01
"""Seconds between two looks at the clock: they cost a few thousandths of a core."""


class Sampler:
    """Wakes up again and again and notes how late that was."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._samples: list[tuple[float, float, float]] = []
        self._schedule = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        self._waited = self._wait()

    def begin(self) -> None:
        """From now on."""
        # The loop's own clock stands still while callbacks run.
        self._loop.call_later(EVERY, self._look, time.monotonic() + EVERY)

    def _look(self, due: float) -> None:
        late, waited = time.monotonic() - due, self._wait()
        self._samples.append((due, 1000 * late, 1000 * min(late, waited - self._waited)))
        self._waited = waited
        self.begin()

    def _wait(self) -> float:
        """For how many seconds in all the thread was ready to run and had no core."""
        return int(os.pread(self._schedule, 100, 0).split()[1]) / 1e9

    def lines(self) -> str:
        """All samples."""
        return "".join(f"{due:.3f} {late:.2f} {waited:.2f}\n" for due, late, waited in self._samples)


def watched(lags: Path, arguments: list[str]) -> int:
    """Parley's command line in a loop that is watched; returns its exit code."""
    samplers: list[Sampler] = []
    make = uvloop.new_event_loop

    def new_event_loop() -> uvloop.Loop:
        loop = make()
        samplers.append(Sampler(loop))
        samplers[-1].begin()
        return loop

    uvloop.new_event_loop = new_event_loop
    try:
        return main(arguments)
    finally:
        lags.write_text(samplers[-1].lines() if samplers else "")


if __name__ == "__main__":
    raise SystemExit(watched(Path(sys.argv[1]), sys.argv[2:]))
