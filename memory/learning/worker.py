"""Background worker of the learning queue: several people at once, each person's turns in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Protocol

from parley.core.dead_letters import POISON_REASON, bury_items
from parley.core.flow_control.quarantine import Quarantine
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.model.errors import LaneLost, MemoryDamaged, MemoryFailed, StoreUnavailable
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import Claim, QueueItem
from parley.core.scheduler.lane_worker import LaneRules, LaneWorker
from parley.memory.learning.queue import QUEUE, LearningJournal, LearningQueue, decode_turn, is_trigger
from parley.memory.options import MemoryOptions

log = logging.getLogger(__name__)

_STORE_PAUSE = 2.0
_GROWTH = 4


def _ignore(put_at: float) -> None:
    """Let nobody know."""


class Learner(Protocol):
    """Learns from one person's turns; see memory/learning/pipeline.py."""

    async def learn(self, person: str, assistant: str, turns: Sequence[CompletedTurn]) -> None:
        """Learn from turns, in order; those learned from already are skipped.

        Raises MemoryFailed, StoreUnavailable.
        """
        ...


class LearningWorker:
    """Works the lanes of the learning queue. `failed` gets every failure as a text for operators, `learned`
    is told when each turn that is learned from was put into the queue (Unix seconds).
    """

    def __init__(
        self,
        journal: LearningJournal,
        queue: LearningQueue,
        learner: Learner,
        options: MemoryOptions,
        failed: Callable[[str], None],
        quarantine: Quarantine | None = None,
        learned: Callable[[float], None] = _ignore,
    ) -> None:
        self._learned = learned
        self._journal = journal
        self._queue = queue
        self._learner = learner
        self._options = options
        self._failed = failed
        # Attempts of lanes that only waited for a damaged memory, and what of it was told to operators.
        self._waits: dict[str, int] = {}
        self._told_damage: dict[str, str] = {}
        self._slots = CountingSemaphore(options.max_concurrency)
        # Whoever works turns says that the store is away.
        rules = LaneRules("a lesson", self._broke, self._bury, hold=nullcontext)
        self._lanes = LaneWorker(journal, quarantine or Quarantine(), rules)

    async def run(self) -> None:
        """Work until cancelled or drained; what is in progress then waits again."""
        try:
            await self._lanes.work(QUEUE, self._slots, self._options.max_concurrency, self._work)
            await self._lanes.finish()
        finally:
            await self._lanes.cancel()

    def close(self) -> None:
        """Start nothing more; `run` returns once what is in progress is over."""
        self._lanes.close()

    async def drain(self, budget: float) -> bool:
        """Start nothing more; wait `budget` seconds for work in progress, and return whether it ended.

        What waits is on disk, and goes on at the next start.
        """
        self._lanes.close()
        return await self._lanes.finish(budget)

    async def _work(self, claim: Claim, give_back: Callable[[], None]) -> None:
        try:
            await self._learn(claim)
        except StoreUnavailable:
            await asyncio.sleep(_STORE_PAUSE)
            raise

    async def _learn(self, claim: Claim) -> None:
        """Learn from a lane's turns, separately for each assistant: a failure of one leaves the others."""
        turns = {item: decode_turn(item) for item in claim.items if not is_trigger(item)}
        failing = [item for item, turn in turns.items() if turn is None]
        reason = "It cannot be read." if failing else ""
        for assistant, lesson in self._by_assistant(turns).items():
            try:
                await self._learner.learn(claim.lane, assistant, list(lesson.values()))
            except MemoryDamaged as error:
                await self._wait_for_repair(claim, error)
                return
            except MemoryFailed as error:
                failing, reason = [*failing, *lesson], str(error)
        if failing:
            await self._set_back(claim, failing, reason)
        else:
            await self._journal.done(claim, claim.items)
            for item in turns:
                self._learned(item.put_at)
            self._queue.reset_count(claim.lane)
            self._waits.pop(claim.lane, None)
            self._told_damage.pop(claim.lane, None)

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

    async def _broke(self, claim: Claim, error: Exception) -> None:
        items = [item for item in claim.items if not is_trigger(item)]
        await self._set_back(claim, items, f"{type(error).__name__}; see the log")

    async def _bury(self, claim: Claim) -> None:
        items = [item for item in claim.items if not is_trigger(item)]
        await self._give_up(claim, items, POISON_REASON.format(claim.crashes, claim.trials))

    async def _wait_for_repair(self, claim: Claim, error: MemoryDamaged) -> None:
        """Leave a lane alone for a while; this is no failure of its turns, and counts as no try.

        Operators are told once of each damage, not at every look.
        """
        if self._told_damage.get(claim.lane) != error.name:
            self._told_damage[claim.lane] = error.name
            self._failed(f"person {claim.lane}: {error} Learning waits.")
        self._waits[claim.lane] = claim.items[0].attempts + 1
        await self._journal.retry(claim, self._options.retry_pause)

    async def _set_back(self, claim: Claim, failing: Sequence[QueueItem], reason: str) -> None:
        """Retry later, or give up; turns that were learned from are skipped then."""
        tried = claim.items[0].attempts + 1 - self._waits.get(claim.lane, 0)
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
