"""Who waits for work in which queue, within one process."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress

_ATTENDED = 3.0
"""Polls after which nobody is thought to work a queue at which nobody looked."""


class _Queue:
    """What is known of one queue: whether work is there, or by when (loop's time) somebody has to look."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.wakes = 0
        self.is_ready = False
        self.must_look = False  # somebody said so since the last look began
        self.is_unsure = True  # what the last claim left is not known
        self.was_due = False
        self.due_at = math.inf
        self.looked_at = -math.inf
        self.has_room = False

    def tell(self, due_at: float, now: float) -> None:
        self.is_ready = self.is_ready or due_at <= now
        self.due_at = min(self.due_at, due_at) if due_at > now else self.due_at
        self.told.set()


class QueueEvents:
    """Signals by queue. What is told between a claim and the wait after it is kept: nothing is missed.

    Whoever claimed less than it asked for knows that nothing is left, and waits without a look. Looks come
    each `poll` seconds, at the same moments for all queues, so that they share a transaction. `clock` is what
    `wake_at` goes by (Unix seconds).
    """

    def __init__(self, poll: float = 1.0, clock: Callable[[], float] = time.time) -> None:
        self._poll = poll
        self._clock = clock
        self._phase = random.random() * poll
        self._queues: defaultdict[str, _Queue] = defaultdict(_Queue)

    def begin_claim(self, queue: str) -> None:
        """Note that a claim goes out: it will find whatever was told of until now."""
        state, now = self._queues[queue], asyncio.get_running_loop().time()
        state.is_ready = state.must_look = False
        state.is_unsure = True
        state.was_due = state.due_at <= now
        if state.was_due:
            state.due_at = math.inf

    def end_claim(self, queue: str, *, is_full: bool) -> None:
        """Note that a claim's answer came; unless it `is_full`, it left nothing that is due."""
        state = self._queues[queue]
        state.is_unsure = is_full or state.was_due  # after what was delayed there may be more of it
        state.has_room = not is_full
        state.looked_at = asyncio.get_running_loop().time()

    def has_room(self, queue: str) -> bool:
        """Return whether somebody here takes what comes in `queue`, and has a slot for it."""
        state = self._queues.get(queue)
        if state is None or not state.has_room:
            return False
        return asyncio.get_running_loop().time() - state.looked_at < _ATTENDED * self._poll

    async def wait_for_work(self, queue: str, timeout: float, due_in: Callable[[], Awaitable[float]]) -> None:
        """Return once `queue` may have work, or `timeout` seconds are over.

        `due_in` looks: in how many seconds there is work.
        """
        loop, state = asyncio.get_running_loop(), self._queues[queue]
        deadline = loop.time() + timeout
        state.has_room = True
        try:
            while (now := loop.time()) < deadline:
                state.told.clear()
                if state.is_ready:
                    break
                if self._must_look(state, now):
                    if await self._look(state, due_in):
                        break
                    continue  # another one who waits may have taken what was told meanwhile
                until = min(deadline, state.due_at, self._next_look(state.looked_at))
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(until):
                        await state.told.wait()
        except asyncio.CancelledError:
            state.has_room = False
            raise
        state.is_ready, state.must_look = False, True
        state.told.set()  # any other one who waits looks, too

    def wakes(self, name: str) -> int:
        """Return how often `name` was woken."""
        return self._queues[name].wakes

    async def wait_told(self, name: str, seen: int, timeout: float) -> None:
        """Return when `name` was woken more than `seen` times, or after `timeout` seconds."""
        state = self._queues[name]
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while state.wakes == seen:
                    state.told.clear()
                    await state.told.wait()

    def _must_look(self, state: _Queue, now: float) -> bool:
        is_time = now >= min(state.due_at, self._next_look(state.looked_at))
        return state.must_look or state.is_unsure or is_time

    async def _look(self, state: _Queue, due_in: Callable[[], Awaitable[float]]) -> bool:
        """Return whether there is work; what is told meanwhile counts, too."""
        state.must_look = False
        state.due_at = math.inf
        due = await due_in()
        state.is_unsure = False
        now = state.looked_at = asyncio.get_running_loop().time()
        state.due_at = min(state.due_at, now + due)
        return due <= 0

    def _next_look(self, last: float) -> float:
        if last == -math.inf:
            return last
        return self._phase + self._poll * (math.floor((last - self._phase) / self._poll) + 1)

    def wake(self, queues: Iterable[str]) -> None:
        """Let who waits for `queues` look."""
        for queue in queues:
            state = self._queues[queue]
            state.must_look = True
            state.wakes += 1
            state.told.set()

    def wake_in(self, queue: str, seconds: float) -> None:
        """Tell that `queue` has work in so many seconds; 0 or less: there it is."""
        now = asyncio.get_running_loop().time()
        self._queues[queue].tell(now + seconds, now)

    def wake_at(self, times: Mapping[str, float]) -> None:
        """Tell when queues have work (Unix seconds)."""
        for queue, ready_at in times.items():
            self.wake_in(queue, ready_at - self._clock())

    def wake_all(self) -> None:
        """Let everybody look."""
        self.wake(tuple(self._queues))
