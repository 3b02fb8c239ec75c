"""Claims lanes of queues, and works each in a task of its own: whatever breaks stays in its lane."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial

from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.model.errors import LaneLost, StoreUnavailable
from parley.core.ports.journal import STORE_PAUSE, Claim, Journal, log_store_failure
from parley.core.ports.lease import LeaseToken, within_lease

log = logging.getLogger(__name__)

_IDLE_LOOK = 30.0
_CAUSE_SHOWN = 500
_PARTING = 0.7
"""Seconds that whoever is ended waits for the store to take a lane back."""

LaneHandler = Callable[[Claim, Callable[[], None]], Awaitable[None]]
"""Works a claimed lane; calls what it is given once its slot may go to another."""


@dataclass(frozen=True, slots=True)
class LaneRules:
    """What becomes of lanes whose work fails.

    `set_back` has a lane whose work (`what`, as logs call it) broke tried again later, or given up; `bury`
    sets poison aside.
    """

    what: str
    set_back: Callable[[Claim, Exception], Awaitable[None]]
    bury: Callable[[Claim], Awaitable[None]]
    hold: Callable[[LeaseToken], AbstractAsyncContextManager[object]] = within_lease


class LaneWorker:
    """Works lanes until closed. `tasks` are those under way, with their claims; `broken` tells why the last
    try in a lane broke, until one of it succeeds.
    """

    def __init__(self, journal: Journal, quarantine: Quarantine, rules: LaneRules) -> None:
        self._journal = journal
        self._quarantine = quarantine
        self._rules = rules
        self._looking: dict[asyncio.Task[None], str] = {}
        self._closed = False
        self._stopped: set[str] = set()
        self.tasks: dict[asyncio.Task[None], Claim] = {}
        self.broken: dict[tuple[str, str], str] = {}

    async def work(self, queue: str, slots: CountingSemaphore, most: int, handler: LaneHandler) -> None:
        """Claim a queue's lanes, up to `most` at once, as there are slots for them.

        Returns when everything is closed, or this queue.
        """
        while not self._is_closed(queue):
            try:
                if not await self._claim_some(queue, slots, most, handler):
                    await self._wait(queue)
            except StoreUnavailable as error:
                log_store_failure(log.warning, "cannot look for work in %s: %s", queue, error)
                await asyncio.sleep(STORE_PAUSE)

    def close(self) -> None:
        """Claim nothing more; what is under way goes on."""
        self._closed = True
        for looking in self._looking:
            looking.cancel()

    def close_queue(self, queue: str) -> None:
        """Claim nothing more of one queue; what is under way goes on."""
        self._stopped.add(queue)
        for looking, place in self._looking.items():
            if place == queue:
                looking.cancel()

    def open_queue(self, queue: str) -> None:
        """Allow claims of a queue that was closed."""
        self._stopped.discard(queue)

    async def finish_queues(self, queues: Collection[str]) -> None:
        """Wait for what is under way of some queues."""
        while tasks := [task for task, claim in self.tasks.items() if claim.queue in queues]:
            await asyncio.wait(tasks)

    def _is_closed(self, queue: str) -> bool:
        return self._closed or queue in self._stopped

    async def finish(self, seconds: float | None = None) -> bool:
        """Wait for what is under way, at most so long; returns whether all of it is over."""
        if self.tasks:
            await asyncio.wait(set(self.tasks), timeout=seconds)
        return not self.tasks

    async def cancel(self) -> None:
        """End what is under way; its lanes are given back."""
        tasks = list(self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _claim_some(
        self, queue: str, slots: CountingSemaphore, most: int, handler: LaneHandler
    ) -> bool:
        """Claim lanes and start their work; False when nothing is left."""
        taken, started = await slots.acquire(most), 0
        try:
            claims = () if self._is_closed(queue) else await self._journal.claim(queue, taken)
            for claim in claims:
                self._start(claim, slots, handler)
                started += 1
        finally:
            slots.release(taken - started)
        return len(claims) == taken

    async def _wait(self, queue: str) -> None:
        """Return when there may be work, or on closing."""
        if self._is_closed(queue):
            return
        looking = asyncio.create_task(self._journal.wait(queue, _IDLE_LOOK))
        self._looking[looking] = queue
        try:
            await asyncio.wait({looking})
        finally:
            del self._looking[looking]
            looking.cancel()
        if not looking.cancelled():
            looking.result()

    def _start(self, claim: Claim, slots: CountingSemaphore, handler: LaneHandler) -> None:
        chosen = partial(self._try, slots, handler) if self._quarantine.holds(claim) else handler
        task = asyncio.create_task(self._guard(claim, chosen, slots.releaser()))
        self.tasks[task] = claim
        task.add_done_callback(self.tasks.pop)

    async def _try(
        self, slots: CountingSemaphore, handler: LaneHandler, claim: Claim, give_back: Callable[[], None]
    ) -> None:
        """Work a suspect when its turn to be tried has come; poison is set aside."""
        give_back()  # whoever waits for that must not keep others waiting
        async with self._quarantine.trial(self._journal, claim, slots) as give_back_again:
            if self._quarantine.is_poison(claim):
                await self._rules.bury(claim)
            else:
                await handler(claim, give_back_again)

    async def _guard(self, claim: Claim, handler: LaneHandler, give_back: Callable[[], None]) -> None:
        """Work a lane, and give it back whatever happens: a supervisor, out of which nothing breaks."""
        try:
            async with self._rules.hold(claim.tenure):
                await handler(claim, give_back)
            self.broken.pop((claim.queue, claim.lane), None)
        except LaneLost:
            log.info("%s: taken over, or ended by a command", claim.lane)
            await self._until_stored(lambda: self._journal.release(claim))
        except StoreUnavailable as error:
            log_store_failure(log.warning, "%s: %s", claim.lane, error)
            await self._until_stored(lambda: self._journal.release(claim))
        except asyncio.CancelledError:
            # One that the store does not take back in time comes free with its node, or its lease.
            await asyncio.wait({asyncio.create_task(self._release(claim))}, timeout=_PARTING)
            raise
        except Exception as error:
            log.exception("%s: %s broke", claim.lane, self._rules.what)
            self.broken[claim.queue, claim.lane] = f"{type(error).__name__}: {error}"[:_CAUSE_SHOWN]
            await self._until_stored(partial(self._rules.set_back, claim, error))
        finally:
            give_back()

    async def _release(self, claim: Claim) -> None:
        with suppress(LaneLost, StoreUnavailable):
            await self._journal.release(claim)

    async def _until_stored(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write; a lane that is not given back would be held until the next start."""
        while True:
            try:
                return await write()
            except StoreUnavailable:
                await asyncio.sleep(STORE_PAUSE)
