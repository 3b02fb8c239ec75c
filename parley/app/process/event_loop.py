"""Running the event loop, on uvloop."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Coroutine
from typing import TypeVar

import uvloop

_T = TypeVar("_T")

_TURN_OF_A_THREAD = 0.0005
"""Seconds that a thread which computes keeps the interpreter, when the loop wants it. By default it is 5 ms,
and a turn waits for it several times: measured with 120 people who write and are learned from on a busy
machine, half that time at p99 is saved, at no more CPU.
"""


def run_loop(main: Coroutine[object, object, _T]) -> _T:
    """Run `main` to its end in a loop of its own."""
    sys.setswitchinterval(_TURN_OF_A_THREAD)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def tune_garbage_collection() -> None:
    """Call once after each start: what stands then stays, and the collector need not look at it again.

    With thousands of turns under way a full collection stopped the loop for a second (docs/performance.md).
    """
    gc.unfreeze()  # of a start before this one
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
