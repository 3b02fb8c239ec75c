"""Background worker of the learning queue: several people at once, each person's turns in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from parley.core.dead_letters import POISON_REASON, bury_items
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.model.errors import LaneLost, MemoryFailed, StoreUnavailable
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import Claim, QueueItem
from parley.memory.learning.queue import QUEUE, LearningJournal, LearningQueue, decode_turn, is_trigger
from parley.memory.options import MemoryOptions

log = logging.getLogger(__name__)

_IDLE_LOOK = 5.0
_STORE_PAUSE = 2.0
_GROWTH = 4


class Learner(Protocol):
    """Learns from one person's turns; see memory/learning/pipeline.py."""

    async def learn(self, person: str, assistant: str, turns: Sequence[CompletedTurn]) -> None:
        """Learn from turns, in order; those learned from already are skipped.

        Raises MemoryFailed, StoreUnavailable.
        """
        ...


class LearningWorker:
    """Works the lanes of the learning queue. `failed` gets every failure as a text for operators."""

    def __init__(
        self,
        journal: LearningJournal,
        queue: LearningQueue,
        learner: Learner,
        options: MemoryOptions,
        failed: Callable[[str], None],
        quarantine: Quarantine | None = None,
    ) -> None:
        self._journal = journal
        self._queue = queue
        self._learner = learner
        self._options = options
        self._failed = failed
        self._quarantine = quarantine or Quarantine()
        self._slots = CountingSemaphore(options.extractors)
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = asyncio.Event()

    async def run(self) -> None:
        """Work until cancelled or drained; what is in progress then waits again."""
        try:
            while not self._draining.is_set():
                try:
                    if not await self._claim_some():
                        await self._wait()
                except StoreUnavailable as error:
                    self._failed(f"cannot look for turns to learn from: {error}")
                    await asyncio.sleep(_STORE_PAUSE)
            await self._finished()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self, budget: float) -> bool:
        """Start nothing more; wait `budget` seconds for work in progress, and return whether it ended.

        What waits is on disk, and goes on at the next start.
        """
        self._draining.set()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=budget)
        return not self._tasks

    async def _finished(self) -> None:
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _claim_some(self) -> bool:
        taken, begun = await self._slots.take(self._options.extractors), 0
        try:
            claims = () if self._draining.is_set() else await self._journal.claim(QUEUE, taken)
            for claim in claims:
                task = asyncio.create_task(self._guard(claim))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
                begun += 1
        finally:
            self._slots.give_back(taken - begun)
        return bool(claims)

    async def _wait(self) -> None:
        waiting = asyncio.create_task(self._journal.wait(QUEUE, _IDLE_LOOK))
        draining = asyncio.create_task(self._draining.wait())
        try:
            await asyncio.wait({waiting, draining}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                waiting.result()
        finally:
            for task in (waiting, draining):
                task.cancel()
            await asyncio.gather(waiting, draining, return_exceptions=True)

    async def _guard(self, claim: Claim) -> None:
        """Supervise one lane: log what breaks, and give the lane back."""
        give_back = self._slots.holder()
        lesson = asyncio.create_task(self._work_or_try(claim, give_back))
        try:
            await asyncio.wait({lesson})
            error = lesson.exception()
            if isinstance(error, LaneLost):
                log.info("person %s: taken over, or cancelled", claim.lane)
                await self._until_stored(lambda: self._journal.release(claim))
            elif isinstance(error, StoreUnavailable):
                self._failed(f"person {claim.lane}: {error}")
                await asyncio.sleep(_STORE_PAUSE)
                await self._until_stored(lambda: self._journal.release(claim))
            elif error is not None:
                log.error("person %s: a lesson broke", claim.lane, exc_info=error)
                items = [item for item in claim.items if not is_trigger(item)]
                await self._until_stored(
                    lambda: self._set_back(claim, items, f"{type(error).__name__}; see the log")
                )
        except asyncio.CancelledError:
            lesson.cancel()
            await asyncio.gather(lesson, return_exceptions=True)
            with suppress(LaneLost, StoreUnavailable):
                await asyncio.shield(self._journal.release(claim))
            raise
        finally:
            give_back()

    async def _work_or_try(self, claim: Claim, give_back: Callable[[], None]) -> None:
        """Learn; possible poison alone among suspects, and known poison never again."""
        if not self._quarantine.holds(claim):
            await self._work(claim)
            return
        give_back()  # a lane that waits for its trial must not hold a slot
        async with self._quarantine.trial(self._journal, claim, self._slots):
            if self._quarantine.is_poison(claim):
                items = [item for item in claim.items if not is_trigger(item)]
                await self._give_up(claim, items, POISON_REASON.format(claim.crashes, claim.trials))
            else:
                await self._work(claim)

    async def _work(self, claim: Claim) -> None:
        """Learn from a lane's turns, separately for each assistant: a failure of one leaves the others."""
        turns = {item: decode_turn(item) for item in claim.items if not is_trigger(item)}
        failing = [item for item, turn in turns.items() if turn is None]
        reason = "It cannot be read." if failing else ""
        for assistant, lesson in self._by_assistant(turns).items():
            try:
                await self._learner.learn(claim.lane, assistant, list(lesson.values()))
            except MemoryFailed as error:
                failing, reason = [*failing, *lesson], str(error)
        if failing:
            await self._set_back(claim, failing, reason)
        else:
            await self._journal.done(claim, claim.items)
            self._queue.reset_count(claim.lane)

    def _by_assistant(
        self, turns: Mapping[QueueItem, CompletedTurn | None]
    ) -> dict[str, dict[QueueItem, CompletedTurn]]:
        """Return the turns by the memory they belong to: "" where all assistants share one."""
        found: dict[str, dict[QueueItem, CompletedTurn]] = {}
        for item, turn in turns.items():
            if turn is not None:
                assistant = turn.assistant if self._options.per_assistant else ""
                found.setdefault(assistant, {})[item] = turn
        return found

    async def _set_back(self, claim: Claim, failing: Sequence[QueueItem], reason: str) -> None:
        """Retry later, or give up; turns that were learned from are skipped then."""
        tried = claim.items[0].attempts + 1
        self._failed(f"person {claim.lane}, try {tried} of {self._options.tries}: {reason}")
        with suppress(LaneLost):
            if tried < self._options.tries:
                await self._journal.retry(claim, self._options.retry_pause * _GROWTH ** (tried - 1))
                return
            await self._give_up(claim, failing, reason)

    async def _give_up(self, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
        # The trigger goes too: the next one counts its own tries.
        triggers = [item for item in claim.items if is_trigger(item)]
        await bury_items(self._journal, claim, [*items, *triggers], reason)
        for trigger in triggers:
            await self._journal.discard(trigger.id)

    async def _until_stored(self, write: Callable[[], Awaitable[None]]) -> None:
        """Retry until stored: a lane that is not given back holds its person's turns until a restart."""
        while True:
            try:
                return await write()
            except StoreUnavailable:
                await asyncio.sleep(_STORE_PAUSE)
