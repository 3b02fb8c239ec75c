"""A look at the clock while a run is on: says that it still works, and ends one that takes too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from parley.core.model.types import Step, StepStatus
from parley.core.texts import Sentence, say


@dataclass(frozen=True, slots=True)
class RunTimeouts:
    """Seconds of a run until it says that it still works, and until it is ended; 0 for never."""

    still_working_after: float
    timeout: float


class RunTimers:
    """Calls `still_working` and `too_long` once each, when their time has come."""

    def __init__(
        self, limits: RunTimeouts, still_working: Callable[[], None], too_long: Callable[[], None]
    ) -> None:
        self._limits = limits
        self._still_working = still_working
        self._too_long = too_long
        self._timers: tuple[asyncio.TimerHandle, ...] = ()

    def begin(self, age: float) -> None:
        """Watch a run that began `age` seconds ago, maybe under an earlier process."""
        if self._timers:
            return
        loop, limits = asyncio.get_running_loop(), self._limits
        planned = ((limits.still_working_after, self._still_working), (limits.timeout, self._too_long))
        self._timers = tuple(loop.call_later(max(0.0, after - age), call) for after, call in planned if after)

    def end(self) -> None:
        """Call nothing any more: the run is over."""
        for timer in self._timers:
            timer.cancel()


def render_still_working(language: str, text: str, steps: tuple[Step, ...]) -> str:
    """Return the reply so far, and below it that it is still growing and what is being done."""
    running = [step.title for step in steps if step.status is StepStatus.RUNNING]
    if running:
        note = say(language, Sentence.RUN_STILL_WORKING_ON, step=running[-1])
    else:
        note = say(language, Sentence.RUN_STILL_WORKING)
    return f"{text}\n\n{note}" if text.strip() else note
