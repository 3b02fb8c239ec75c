"""Who waits for work in which queue, within one process."""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress


class QueueListener:
    """Hears of one queue. `ready_at` is the first time (Unix seconds) of which it was told since it was
    cleared: then there may be work.
    """

    def __init__(self) -> None:
        self._told = asyncio.Event()
        self.ready_at = math.inf

    def clear(self) -> None:
        """Forget what it heard."""
        self._told.clear()
        self.ready_at = math.inf

    def tell(self, ready_at: float) -> None:
        """Wake who waits: there may be work at that time, or it must look (infinity)."""
        self.ready_at = min(self.ready_at, ready_at)
        self._told.set()

    async def wait(self) -> None:
        """Wait until it is told something."""
        await self._told.wait()


class QueueEvents:
    """Signals by queue. A listener that is registered before it looks never misses what comes after."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, set[QueueListener]] = defaultdict(set)

    @contextmanager
    def listen(self, queue: str) -> Iterator[QueueListener]:
        """Yield somebody who is told whenever `queue` is woken."""
        listener = QueueListener()
        self._listeners[queue].add(listener)
        try:
            yield listener
        finally:
            self._listeners[queue].discard(listener)

    async def wait_for_work(
        self,
        queue: str,
        timeout: float,
        poll: float,
        due_in: Callable[[], Awaitable[float]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Return once `queue` may have work, or `timeout` seconds are over.

        `due_in` looks: in how many seconds there is work. It is asked again when somebody tells of the queue,
        and each `poll` seconds.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        with self.listen(queue) as listener:
            while (left := deadline - loop.time()) > 0:
                listener.clear()
                due = await due_in()
                if due <= 0:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, due, poll)):
                        await listener.wait()
                if listener.ready_at <= clock():
                    return

    def wake(self, queues: Iterable[str]) -> None:
        """Let all who listen to `queues` look."""
        self.wake_at(dict.fromkeys(queues, math.inf))

    def wake_at(self, times: Mapping[str, float]) -> None:
        """Tell all who listen to a queue when it may have work (Unix seconds)."""
        for queue, ready_at in times.items():
            for listener in self._listeners[queue]:
                listener.tell(ready_at)

    def wake_all(self) -> None:
        """Let everybody look."""
        self.wake(tuple(self._listeners))
