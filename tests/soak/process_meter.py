"""A process as it is seen from outside, cut into parts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.kit.stats import cpu_seconds_of, rss_mb

_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of time (monotonic seconds) in which the platform `stuck` was stuck, none for "".

    How Parley was in it: `cpu` in cores, `rss` in MB at most, and for each sample by how many milliseconds
    the event loop was late, in all and not counting those in which other programs had the core.
    """

    stuck: str
    begin: float
    end: float
    cpu: float
    rss: float
    late: tuple[float, ...]
    own: tuple[float, ...]

    def has(self, at: float) -> bool:
        """Whether an instant lies in it."""
        return self.begin <= at < self.end


@dataclass(frozen=True, slots=True)
class Lag:
    """A look at the loop's clock: when it was due (monotonic seconds), how late it was and for how much of
    that other programs had the core, in milliseconds."""

    due: float
    late: float
    waited: float


@dataclass(frozen=True, slots=True)
class Span:
    """A part as it is measured from outside; `cpu` in seconds."""

    stuck: str
    begin: float
    end: float
    cpu: float


class Meter:
    """Looks at a process from outside."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._rss: list[tuple[float, float]] = []
        self.spans: list[Span] = []

    async def run(self) -> None:
        """Look at its memory every second, until cancelled."""
        while True:
            self._rss.append((time.monotonic(), rss_mb(self._pid)))
            await asyncio.sleep(_EVERY)

    async def pass_by(self, stuck: str, seconds: float) -> None:
        """Let a part go by."""
        begin, used = time.monotonic(), cpu_seconds_of(self._pid)
        await asyncio.sleep(seconds)
        self.spans.append(Span(stuck, begin, time.monotonic(), cpu_seconds_of(self._pid) - used))

    def parts(self, lags: Sequence[Lag]) -> tuple[Part, ...]:
        """All parts, with what the process itself has noted."""
        return tuple(self._part(span, lags) for span in self.spans)

    def _part(self, span: Span, lags: Sequence[Lag]) -> Part:
        begin, end = span.begin, span.end
        most = max((size for at, size in self._rss if begin <= at <= end), default=0.0)
        found = [lag for lag in lags if begin <= lag.due < end]
        late = tuple(lag.late for lag in found)
        own = tuple(lag.late - lag.waited for lag in found)
        return Part(span.stuck, begin, end, span.cpu / (end - begin), most, late, own)
