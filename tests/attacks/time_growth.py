"""How the time of something grows with its text, by ratios of CPU time: slow machines do not matter."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

FLOOR = 0.0004
"""Seconds of CPU time below which nothing is judged: there a clock and a cache weigh more than the work."""
TOO_STEEP = 2.9
"""What twice the text may not cost: linear work costs twice as much, quadratic four times."""
EXPLODES = 16.0
"""What twice the text costs where time doubles with every few characters: nothing longer is tried."""
FIRST = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 48, 64)
_BEST_OF = 5
_TIMES = 4
_ENDLESS = 0.5

Work = Callable[[str], object]
Make = Callable[[int], str]


@dataclass(frozen=True)
class Steep:
    """Text of which twice as much costs `ratio` times the time; `count` is how often its part is repeated."""

    count: int
    seconds: float
    ratio: float

    def __str__(self) -> str:
        return f"x{self.ratio:.1f} for twice the text; {self.seconds * 1000:.1f} ms for {self.count} of it"


def steep(work: Work, make: Make, most: int) -> Steep | None:
    """Return how steeply `work` grows on `make(count)`, texts of up to `most` characters; None if linear.

    What is steep is so each time: a neighbour of the processor makes one measurement wrong, but not four.
    """
    return _each_time(lambda: _steep(work, make, most))


def _each_time(measured: Callable[[], Steep | None]) -> Steep | None:
    found = None
    for _ in range(_TIMES):
        found = measured()
        if found is None:
            return None
    return found


def _steep(work: Work, make: Make, most: int) -> Steep | None:
    """Look for the first text that takes time at all, and compare it with others.

    The texts grow until one takes more than the floor, and are compared with shorter ones from there on: so
    what grows exponentially ends after a few milliseconds too.
    """
    for count in counts():
        text = make(count)
        if len(text) > most:
            return None
        if cpu(work, text) > FLOOR and cpu(work, text) > FLOOR:
            return _judged(work, make, count, most)
    return None


def _judged(work: Work, make: Make, count: int, most: int) -> Steep | None:
    """Compare with half the text; where that tells nothing, with four times as much, if that may be."""
    if best(work, make(count), of=2) / best(work, make(count // 2), of=2) >= EXPLODES:
        ratio = best(work, make(count)) / best(work, make(count // 2))
        if ratio >= EXPLODES:
            return Steep(count, best(work, make(count)), ratio)
    for _ in range(2):
        # Linear, or so cheap at first that a beginning hides the growth: look further while it may be.
        if len(make(4 * count)) > most:
            break
        if cpu(work, make(2 * count)) / best(work, make(count), of=2) >= TOO_STEEP:
            break
        count *= 4
    return _twice(work, make, count)


def _twice(work: Work, make: Make, count: int) -> Steep | None:
    """Compare with half and with twice the text: steep is what is so both times, measured well."""
    seconds = best(work, make(count), of=2)
    if seconds / best(work, make(count // 2), of=2) < TOO_STEEP:
        return None
    half, whole, double = (best(work, make(each)) for each in (count // 2, count, 2 * count))
    ratio = min(whole / half, double / whole)
    return Steep(count, whole, ratio) if ratio >= TOO_STEEP else None


def climbs(work: Work, part: str, most: int) -> Steep | None:
    """Return how steeply `work` grows on `part` repeated, from a quarter of `most` characters to all of it.

    For what does its work in pieces, whose growth shows only where there are many of them.
    """
    return _each_time(lambda: _climbs(work, part, most))


def _climbs(work: Work, part: str, most: int) -> Steep | None:
    count = max(most // len(part), 16)
    first = cpu(work, part * (count // 16))
    if first > _ENDLESS:
        return Steep(count // 16, first, EXPLODES)
    if cpu(work, part * count) < max(FLOOR, TOO_STEEP * cpu(work, part * (count // 2))):
        return None
    quarter, half, whole = (best(work, part * (count // each), of=3) for each in (4, 2, 1))
    if whole < FLOOR:
        return None
    ratio = min(half / quarter, whole / half)
    return Steep(count, whole, ratio) if ratio >= TOO_STEEP else None


def counts() -> Iterator[int]:
    """Yield how often to repeat: in small steps at first, as time may explode, then twice as often."""
    yield from FIRST
    count = FIRST[-1]
    while True:
        count *= 2
        yield count


def best(work: Work, text: str, of: int = _BEST_OF) -> float:
    """Return the least CPU time that it took."""
    return min(cpu(work, text) for _ in range(of))


def cpu(work: Work, text: str) -> float:
    """Return the seconds of this thread's CPU time that it takes."""
    # The collector would look at whatever else there is in this process.
    gc.disable()
    try:
        began = time.thread_time()
        work(text)
        return time.thread_time() - began
    finally:
        gc.enable()
