"""A person's turns in whose midst the process ended again and again."""

from __future__ import annotations

import time
from typing import Any

from parley.core.dead_letters import DeadLetters
from parley.core.flow_control.quarantine import PoisonLimits, Quarantine
from parley.memory.learning.queue import QUEUE, LearningQueue
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import turn
from tests.kit.store.contents import given_up
from tests.kit.waiting import until
from tests.unit.memory.learning.queue_kit import AT_ONCE, Clock, Learner, working

LEASE = 15.0


async def test_turns_that_kill_are_set_aside_and_others_are_learned_from(tmp_path):
    clock = Clock(time.time())
    node: dict[str, Any] = {"exclusive": False, "lease": LEASE, "clock": clock}
    async with (
        SqliteStore.open(tmp_path / "db", node="doomed", **node) as doomed,
        SqliteStore.open(tmp_path / "db", node="well", **node) as store,
    ):
        queue = LearningQueue(store, AT_ONCE)
        await queue.add(turn(1, "kills"))
        for trials in (0, 0, 1, 2, 3, 4):
            (claim,) = await doomed.claim(QUEUE, 1)
            await doomed.set_trials(claim, trials)
            clock.now += LEASE + 1
        await queue.add(turn(2, "hello", person="bob"))
        learner = Learner()
        async with working(store, queue, learner, quarantine=Quarantine(PoisonLimits(settling=0.0))):
            await until(lambda: learner.learned, "Bob is learned from")
            await until(lambda: given_up(DeadLetters(store)), "Ann's turn is set aside")
        (letter,) = await given_up(DeadLetters(store))
        assert [person for person, _, _ in learner.learned] == ["bob"]
        assert (letter.kind, letter.reason[:31]) == ("memory", "the process ended 6 times in a ")
        assert await DeadLetters(store).retry(letter.item)
        async with working(store, queue, learner):
            await until(lambda: len(learner.learned) == 2, "it is learned from after all")
