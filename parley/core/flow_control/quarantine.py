"""The quarantine of poison messages: work in whose midst the process ended again and again.

The store counts the claims that vanish. What vanished with a dying process is rarely to blame for its end, so
nobody is condemned for having been there: suspects are tried one at a time, and only these trials decide.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.model.errors import LaneLost, StoreUnavailable
from parley.core.ports.journal import Claim, Journal

log = logging.getLogger(__name__)

_LOOK_EVERY = 0.2
"""Seconds between two looks whether a trial has left something on disk."""


@dataclass(frozen=True, slots=True)
class PoisonLimits:
    """From how many vanished claims in a row an item is suspect, and from how many trials it is poison.

    A trial is over when the work is done, when it got further on disk, or after `trial_seconds`. Where others
    wait for theirs it is broken off after `alone_seconds`, and does not count: hundreds may be suspects after
    two power cuts, and must not wait for each other. The n-th trial of an item begins when the process is n
    times `settling` seconds old: where something else kills the process over and over, the harmless live on.
    """

    crashes: int = 2
    trials: int = 4
    trial_seconds: float = 60.0
    alone_seconds: float = 2.0
    settling: float = 1.0


class Quarantine:
    """Lets suspects be worked one at a time in this process; everything else goes on beside them."""

    def __init__(
        self, limits: PoisonLimits = PoisonLimits(), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._began = clock()
        self._alone = asyncio.Semaphore(1)
        self._waiting: set[asyncio.Task[None]] = set()
        self._ripe = 0
        """How many wait for nothing but that the trial of another is over."""
        self._closed = False

    def holds(self, claim: Claim) -> bool:
        """Return whether a claim is suspect: it is to be worked inside of `trial` only."""
        return claim.crashes >= self._limits.crashes

    def is_poison(self, claim: Claim) -> bool:
        """Return whether a suspect is to be set aside, and not worked any more."""
        return claim.trials >= self._limits.trials

    def is_deadly(self, claim: Claim) -> bool:
        """Return whether even to set it aside with a word to its person ended the process."""
        return claim.trials > self._limits.trials

    @asynccontextmanager
    async def trial(
        self, journal: Journal, claim: Claim, slots: CountingSemaphore
    ) -> AsyncIterator[Callable[[], None]]:
        """Work a suspect inside, alone among suspects; what is yielded gives back the slot that it takes.

        Raises LaneLost, StoreUnavailable, and CancelledError once the quarantine is closed.
        """
        await self._admitted(claim)
        end_trial = _once(self._alone.release)
        give_back: Callable[[], None] = _nothing
        try:
            await slots.acquire(1)
            give_back = slots.releaser()
            await journal.set_trials(claim, claim.trials + 1)
            if not self.is_poison(claim):
                log.warning(
                    "%s: tried alone (%d of %d): the process ended %d times in a row with it in hand",
                    claim.lane, claim.trials + 1, self._limits.trials, claim.crashes,
                )  # fmt: skip
            watch = asyncio.create_task(self._watch(journal, claim, end_trial))
            try:
                yield give_back
            finally:
                watch.cancel()
                await asyncio.wait({watch})
        finally:
            give_back()
            end_trial()

    def close(self) -> None:
        """Begin no more trials: whoever waits for one is given back, for the next start."""
        self._closed = True
        for task in self._waiting:
            task.cancel()

    async def _admitted(self, claim: Claim) -> None:
        if self._closed:
            raise asyncio.CancelledError
        waiting = asyncio.create_task(self._wait(claim))
        self._waiting.add(waiting)
        try:
            await waiting
        except asyncio.CancelledError:
            waiting.cancel()
            await asyncio.wait({waiting})
            if not waiting.cancelled():  # it came just then
                self._alone.release()
            raise
        finally:
            self._waiting.discard(waiting)

    async def _wait(self, claim: Claim) -> None:
        young = self._began + (claim.trials + 1) * self._limits.settling - self._clock()
        if young > 0:
            await asyncio.sleep(young)
        self._ripe += 1
        try:
            await self._alone.acquire()
        finally:
            self._ripe -= 1

    async def _watch(self, journal: Journal, claim: Claim, end_trial: Callable[[], None]) -> None:
        """End the trial when the work got further, or has lived long enough."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        with suppress(LaneLost, StoreUnavailable):
            while (lasted := loop.time() - began) < self._limits.trial_seconds:
                if self._ripe and lasted >= self._limits.alone_seconds:
                    await journal.set_trials(claim, claim.trials)
                    break
                await asyncio.sleep(_LOOK_EVERY)
                if await _got_further(journal, claim):
                    break
            else:
                await journal.set_trials(claim, claim.trials if self.is_poison(claim) else 0)
        end_trial()


async def _got_further(journal: Journal, claim: Claim) -> bool:
    head = claim.items[0]
    waiting = await journal.waiting(claim.queue, claim.lane)
    return not waiting or (waiting[0].id, waiting[0].note) != (head.id, head.note)


def _once(call: Callable[[], None]) -> Callable[[], None]:
    """Do it the first time only."""
    calls = [call]

    def once() -> None:
        if calls:
            calls.pop()()

    return once


def _nothing() -> None:
    """Give back nothing."""
