"""Numbers of several runs in few words."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Spread:
    """The least, the middle and the most of several measurements."""

    least: float
    middle: float
    most: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Spread:
        """Raises ValueError when there are none."""
        known = sorted(numbers)
        return cls(known[0], median(known), known[-1])

    def show(self, digits: int = 2) -> str:
        """`middle (least-most)`, or one number where they do not differ."""
        parts = [f"{number:,.{digits}f}" for number in (self.middle, self.least, self.most)]
        return parts[0] if parts[1] == parts[2] else f"{parts[0]} ({parts[1]} to {parts[2]})"


def percentile(numbers: Sequence[float], part: float) -> float:
    """The number that `part` (0..1) of all do not exceed; 0 where there are none."""
    if not numbers:
        return 0.0
    return sorted(numbers)[min(len(numbers) - 1, int(part * len(numbers)))]


def cpu_seconds() -> float:
    """This process's CPU time, all threads, user and system; children excluded."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_seconds_of(pid: int, *, ended: bool = False) -> float:
    """Another process's CPU time; with that of its `ended` children, where wanted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if ended else 13])) / os.sysconf("SC_CLK_TCK")


def rss_mb(pid: int | None = None) -> float:
    """Resident memory in MB (10^6 bytes), now."""
    pages = int(Path(f"/proc/{pid or 'self'}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_rss_mb() -> float:
    """The most resident memory that this process ever had, in MB (10^6 bytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
