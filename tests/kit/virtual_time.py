"""An event loop on which time passes as soon as nobody has anything else to do.

For code that sleeps and times out, and does nothing with sockets, files or threads: what takes a minute is
over at once, and however slow the machine is, nothing comes too late.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class _Skipping(selectors.SelectSelector):
    """Does not wait for a moment: it goes there."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # nothing is to come at any moment: only a signal ends this
            return super().select()
        found = super().select(0)
        if not found:
            self.now += max(0.0, timeout)
        return found


class _SwiftLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now


def run_in_virtual_time(test: Callable[_Given, Awaitable[_Found]]) -> Callable[_Given, _Found]:
    """Run a test on a loop of its own, whose time nobody waits for."""

    @wraps(test)
    def run(*given: _Given.args, **more: _Given.kwargs) -> _Found:
        async def whole() -> _Found:
            return await test(*given, **more)

        with asyncio.Runner(loop_factory=_SwiftLoop) as runner:
            return runner.run(whole())

    return run


def loop_time() -> float:
    """The running loop's time, for code that takes a clock."""
    return asyncio.get_running_loop().time()
