"""Running the event loop, on uvloop."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import TypeVar

import uvloop

_T = TypeVar("_T")


def run_loop(main: Coroutine[object, object, _T]) -> _T:
    """Run `main` to its end in a loop of its own."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def settle_memory() -> None:
    """Call once after the start: what stands then stays, and the collector need not look at it again.

    With thousands of turns under way a full collection stopped the loop for a second (docs/performance.md).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
