"""One budget for all replies: room for finals, snapshots that give way, refusals that are remembered."""

from __future__ import annotations

import asyncio
import gc

import pytest

from parley.channels.kit.budget.call_log import PENALTY_LIFE
from parley.channels.kit.budget.limits import CountedCalls, RateLimit
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.kit.errors import SnapshotDeferred
from parley.core.model.errors import LaneLost, RateLimited
from parley.core.ports.lease import LeaseToken, holding_lease
from parley.core.ports.sending import Priority, sending
from tests.kit.virtual_time import loop_time, run_in_virtual_time

EDITS = CountedCalls("edits", (RateLimit(10, 60.0),), final=1)
SENDS = CountedCalls("sends", (RateLimit(5, 60.0),))


class Answer:
    """Stands for a reply."""


class Desk:
    """A budget, and what went through it."""

    def __init__(self) -> None:
        self.budget = RateBudget(loop_time)
        self.done: list[str] = []

    async def call(
        self, priority: Priority, reply: object, what: str = "", kind: CountedCalls = EDITS
    ) -> None:
        """Make a call that takes no time."""
        with sending(priority, reply):
            async with self.budget.call(kind):
                self.done.append(what)

    async def shows(self, reply: object, kind: CountedCalls = EDITS) -> float:
        """Return 0 for a snapshot that went through, or when it is to come again."""
        try:
            await self.call(Priority.SNAPSHOT, reply, kind=kind)
        except SnapshotDeferred as deferred:
            return deferred.retry_after
        return 0.0

    async def refused(self, seconds: float, kind: CountedCalls = EDITS) -> None:
        """Make a call that the platform refuses."""
        with pytest.raises(RateLimited):
            async with self.budget.call(kind):
                raise RateLimited("slowly", seconds)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@run_in_virtual_time
async def test_snapshots_leave_room_for_the_end_of_every_reply_that_grows(desk):
    answers = [Answer() for _ in range(4)]
    shown = 0
    for _ in range(50):
        shown += sum([await desk.shows(answer) == 0 for answer in answers])
        await asyncio.sleep(1.0)
    assert shown == 6
    for answer in answers:
        await desk.call(Priority.FINAL, answer, "end")
    assert desk.done.count("end") == 4
    assert loop_time() == pytest.approx(50.0), "no final waited"


@run_in_virtual_time
async def test_the_more_replies_grow_the_less_often_each_is_shown(desk):
    async def shown_in_an_hour(answers: list[Answer]) -> int:
        before, end = len(desk.done), loop_time() + 3600
        while loop_time() < end:
            waits = [await desk.shows(answer) for answer in answers]
            await asyncio.sleep(max(0.5, min(waits)))
        shown = len(desk.done) - before
        for answer in answers:
            await desk.call(Priority.FINAL, answer, kind=SENDS)
        await asyncio.sleep(60)
        return shown // len(answers)

    alone = await shown_in_an_hour([Answer()])
    together = await shown_in_an_hour([Answer() for _ in range(5)])
    assert 500 <= alone <= 540, "nine a minute, and one is kept"
    assert 55 <= together <= 62, "five a minute for five of them"


@run_in_virtual_time
async def test_the_calls_of_one_snapshot_are_not_torn_apart(desk):
    answer = Answer()
    with sending(Priority.SNAPSHOT, answer):
        async with desk.budget.call(EDITS):
            pass
        async with desk.budget.call(EDITS):
            pass
    assert await desk.shows(answer) == 5.0, "two calls count twice, and nobody sleeps for longer than this"


@run_in_virtual_time
async def test_who_waits_goes_by_priority_and_then_in_order(desk):
    one = CountedCalls("one", (RateLimit(1, 10.0),))
    await desk.call(Priority.FINAL, Answer(), "first", one)

    async def ask(priority: Priority, what: str, after: float) -> None:
        await asyncio.sleep(after)
        await desk.call(priority, Answer(), what, one)

    await asyncio.gather(
        ask(Priority.FINAL, "final 1", 0.1),
        ask(Priority.FINAL, "final 2", 0.2),
        ask(Priority.CONTROL, "command", 0.3),
    )
    assert desk.done == ["first", "command", "final 1", "final 2"]
    assert loop_time() == pytest.approx(30.0, abs=0.1)


@run_in_virtual_time
async def test_snapshots_let_everybody_who_waits_go_first(desk):
    one = CountedCalls("one", (RateLimit(1, 10.0),))
    await desk.call(Priority.FINAL, Answer(), "first", one)

    async def shows_late() -> None:
        await asyncio.sleep(9.0)
        assert await desk.shows(Answer(), one) > 0

    await asyncio.gather(desk.call(Priority.FINAL, Answer(), "final", one), shows_late())
    assert desk.done == ["first", "final"]


@run_in_virtual_time
async def test_a_refusal_stops_calls_of_its_kind_for_so_long_and_no_others(desk):
    await desk.refused(30.0)
    assert await desk.shows(Answer()) == 30.0
    assert await desk.shows(Answer(), SENDS) == 0.0
    await desk.call(Priority.FINAL, Answer(), "another kind", SENDS)
    assert loop_time() == 0.0
    await asyncio.gather(desk.call(Priority.FINAL, Answer(), "the same kind"))
    assert loop_time() == pytest.approx(30.0)


@run_in_virtual_time
async def test_refusals_are_remembered_and_forgiven(desk):
    answer = Answer()
    for _ in range(2):
        await desk.refused(1.0)
        await asyncio.sleep(61.0)
    assert await desk.shows(answer) == 0.0
    await asyncio.sleep(20.0)
    assert await desk.shows(answer) > 0.0, "four times as long as the seven seconds of one reply alone"
    await asyncio.sleep(7.0)
    assert await desk.shows(answer) == 0.0
    await asyncio.sleep(3 * PENALTY_LIFE)
    assert await desk.shows(answer) == 0.0
    await asyncio.sleep(7.0)
    assert await desk.shows(answer) == 0.0


@run_in_virtual_time
async def test_a_call_under_way_counts_until_a_window_after_its_answer(desk):
    one = CountedCalls("one", (RateLimit(1, 10.0),))

    async def slow() -> None:
        async with desk.budget.call(one):
            await asyncio.sleep(3.0)

    await asyncio.gather(slow(), desk.call(Priority.FINAL, Answer(), "second", one))
    assert 13.0 <= loop_time() < 24.0


@run_in_virtual_time
async def test_nothing_is_sent_by_a_node_whose_lease_ended_while_it_waited(desk):
    await desk.refused(30.0)
    with holding_lease(LeaseToken(20.0, loop_time(), loop_time)), pytest.raises(LaneLost):
        await asyncio.gather(desk.call(Priority.FINAL, Answer(), "too late"))
    assert desk.done == []


@run_in_virtual_time
async def test_replies_that_were_given_up_keep_no_room(desk):
    for _ in range(50):
        await desk.shows(Answer())
    gc.collect()
    await asyncio.sleep(60)
    answer = Answer()
    assert await desk.shows(answer) == 0.0
    await asyncio.sleep(6.7)
    assert await desk.shows(answer) == 0.0, "it has the whole minute for itself"


@run_in_virtual_time
async def test_calls_that_nobody_counts_pass(desk):
    async with desk.budget.call():
        desk.done.append("free")
    assert desk.done == ["free"]


@run_in_virtual_time
async def test_idle_chats_are_forgotten(desk):
    for number in range(3000):
        await desk.call(Priority.FINAL, Answer(), kind=CountedCalls(f"chat {number}", (RateLimit(1, 1.0),)))
        await asyncio.sleep(0.1)
    assert len(desk.budget._logs) <= 1001
