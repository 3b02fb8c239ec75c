"""Waiting within one process: nothing told is missed, and nobody looks who knows."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import pytest

from parley.store.queue_events import QueueEvents

FOR_EVER = 3600.0


class Looks:
    """Answers looks, and counts them."""

    def __init__(self, *answers: float) -> None:
        self.answers = [*answers]
        self.number = 0
        self.meanwhile: Callable[[], None] = lambda: None

    async def __call__(self) -> float:
        self.number += 1
        self.meanwhile()
        await asyncio.sleep(0)
        return self.answers.pop(0) if self.answers else math.inf


def claimed(events: QueueEvents, *, is_full: bool = False) -> None:
    events.begin_claim("in")
    events.end_claim("in", is_full=is_full)


async def waiting(events: QueueEvents, looks: Looks, timeout: float = FOR_EVER) -> asyncio.Task[None]:
    task = asyncio.create_task(events.wait_for_work("in", timeout, looks))
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def test_who_never_claimed_looks_first() -> None:
    looks = Looks(0)
    await QueueEvents(FOR_EVER).wait_for_work("in", FOR_EVER, looks)
    assert looks.number == 1


async def test_who_claimed_all_there_was_does_not_look() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks()
    claimed(events)
    task = await waiting(events, looks)
    assert not task.done()
    events.wake_in("in", 0)
    await task
    assert looks.number == 0


async def test_who_claimed_as_much_as_it_asked_for_looks() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks(0)
    claimed(events, is_full=True)
    await events.wait_for_work("in", FOR_EVER, looks)


@pytest.mark.parametrize(
    "tell", [lambda e: e.wake_in("in", 0), lambda e: e.wake(["in"]), lambda e: e.wake_all()]
)
async def test_what_is_told_while_a_claim_is_out_is_kept(tell: Callable[[QueueEvents], None]) -> None:
    events, looks = QueueEvents(FOR_EVER), Looks(0)
    events.begin_claim("in")
    tell(events)
    events.end_claim("in", is_full=False)
    await events.wait_for_work("in", FOR_EVER, looks)


async def test_what_is_told_before_a_claim_is_in_its_answer() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks()
    events.wake_in("in", 0)
    claimed(events)
    task = await waiting(events, looks)
    assert not task.done()
    task.cancel()


async def test_what_is_told_while_somebody_looks_is_kept() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks()
    looks.meanwhile = lambda: events.wake_in("in", 0)
    await events.wait_for_work("in", FOR_EVER, looks)


async def test_all_who_wait_hear_of_it() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks()
    tasks = [await waiting(events, looks) for _ in range(3)]
    looks.answers = [0, 0, 0]
    events.wake_in("in", 0)
    await asyncio.gather(*tasks)


async def test_after_what_was_delayed_somebody_looks_for_more_of_it() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks(0, 0.01, 0)
    events.wake_in("in", 0.01)
    events.wake_in("in", 0.02)
    claimed(events)
    await events.wait_for_work("in", FOR_EVER, looks)
    claimed(events)
    await events.wait_for_work("in", FOR_EVER, looks)
    assert looks.number == 3


async def test_a_lost_word_costs_one_pause() -> None:
    events, looks = QueueEvents(0.05), Looks(0)
    claimed(events)
    await events.wait_for_work("in", FOR_EVER, looks)
    assert looks.number == 1


async def test_who_waits_or_claimed_less_than_asked_has_room() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks()
    assert not events.has_room("in")
    task = await waiting(events, looks)
    assert events.has_room("in")
    claimed(events)
    assert events.has_room("in")
    claimed(events, is_full=True)
    assert not events.has_room("in")
    claimed(events)
    task.cancel()
    await asyncio.wait([task])
    assert not events.has_room("in")


async def test_what_was_told_before_the_wait_counts() -> None:
    events = QueueEvents(FOR_EVER)
    seen = events.wakes("nodes")
    events.wake(["nodes"])
    await events.wait_told("nodes", seen, FOR_EVER)


async def test_two_that_wait_for_the_same_are_told_both() -> None:
    events = QueueEvents(FOR_EVER)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(2):
            tasks.create_task(events.wait_told("nodes", events.wakes("nodes"), FOR_EVER))
        await asyncio.sleep(0)
        events.wake(["nodes"])


async def test_waiting_ends_with_its_time() -> None:
    events, looks = QueueEvents(FOR_EVER), Looks()
    await events.wait_for_work("in", 0.01, looks)
    await events.wait_for_work("in", 0, looks)
