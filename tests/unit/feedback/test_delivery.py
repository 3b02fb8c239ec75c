"""The queue to other systems: tried again, replaced, given up, and gone on with after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from parley.core.dead_letters import DeadLetterKind, DeadLetters
from parley.core.flow_control.quarantine import Quarantine
from parley.core.model.codec import encode
from parley.core.model.errors import FeedbackUndelivered
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.model.queues import feedback_delivery_queue
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.state.feedback import feedback_key
from parley.feedback.delivery import MOST_TRIES, FeedbackDelivery, retry_pause
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from tests.kit.store.contents import given_up
from tests.kit.waiting import until
from tests.unit.feedback.conftest import feedback

QUEUE = feedback_delivery_queue("fake")


class FakeService:
    """Raises the next of `errors`, else keeps what it is told."""

    name = "fake"

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.told: list[Feedback] = []
        self.tries = 0
        self.gate: asyncio.Event | None = None

    async def deliver(self, said: Feedback) -> None:
        self.tries += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.told.append(said)


class Clock:
    """The store's time, which jumps over every pause when it is told to."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def telling(folder: Path, service: FakeService, clock: Clock | None = None) -> AsyncIterator[Store]:
    # Not alone, it looks all the time: nothing tells it that the clock has jumped.
    async with SqliteStore.open(folder / "parley.db", clock=clock or Clock(), exclusive=False) as store:
        task = asyncio.create_task(FeedbackDelivery(store, [service], Quarantine()).run())
        try:
            yield store
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def item(said: Feedback) -> NewQueueItem:
    return NewQueueItem(QUEUE, f"{said.account}/{said.turn}", encode(said), slot="feedback")


async def keep(store: Store, said: Feedback) -> None:
    """Keep what somebody said, and have the service told of it."""
    await store.set(Document(feedback_key(said.account, said.turn), encode(said), 0))
    await store.put(item(said))


async def nothing_waits(store: Store, said: Feedback) -> bool:
    return not await store.waiting(QUEUE, f"{said.account}/{said.turn}")


async def test_a_service_is_told_once(tmp_path: Path) -> None:
    service, said = FakeService(), feedback()
    async with telling(tmp_path, service) as store:
        await keep(store, said)
        await until(lambda: nothing_waits(store, said), "it is told")
    assert service.told == [said]


async def test_what_a_service_refuses_for_good_is_a_dead_letter_that_can_be_tried_again(
    tmp_path: Path,
) -> None:
    service, said = FakeService(FeedbackUndelivered("it answered 422", refused=True)), feedback()
    async with telling(tmp_path, service) as store:
        await keep(store, said)
        letters = DeadLetters(store)
        await until(lambda: given_up(letters), "it is given up")
        (letter,) = await given_up(letters)
        assert (letter.kind, letter.person, letter.said) == (
            DeadLetterKind.FEEDBACK,
            said.account,
            said.comment,
        )
        assert letter.reason == "fake was not told: it answered 422"
        assert (await letters.counts())["feedback-to"] == 1
        assert await letters.retry(letter.item)
        await until(lambda: service.told, "it is told after all")


async def test_one_that_is_away_is_tried_again_with_growing_pauses(tmp_path: Path) -> None:
    service, said, clock = FakeService(*[FeedbackUndelivered("away")] * 3), feedback(), Clock()
    async with telling(tmp_path, service, clock) as store:
        await keep(store, said)
        for tries in range(1, 4):
            await until(partial(_attempts, store, said, tries), f"it is set back after try {tries}")
            clock.now += retry_pause(tries)
        await until(lambda: nothing_waits(store, said), "it is told in the end")
    assert service.told == [said]


async def _attempts(store: Store, said: Feedback, count: int) -> bool:
    waiting = await store.waiting(QUEUE, f"{said.account}/{said.turn}")
    return bool(waiting) and waiting[0].attempts == count


def test_pauses_grow_and_end_after_about_three_days() -> None:
    pauses = [retry_pause(tries) for tries in range(MOST_TRIES)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 3600.0
    assert 2.5 < sum(pauses) / 86_400 < 3.5


async def test_a_newer_choice_takes_the_place_of_one_that_waits(tmp_path: Path) -> None:
    service, said = FakeService(), feedback()
    async with telling(tmp_path, service) as store:
        service.gate = asyncio.Event()
        await keep(store, said)
        await until(lambda: service.tries == 1, "it is on its way")
        newer = feedback(FeedbackChoice.UP, comment="", at=said.at + 1)
        await store.put(item(feedback(comment="between", at=said.at + 0.5)))
        await store.put(item(newer))
        service.gate.set()
        await until(lambda: nothing_waits(store, said), "both are told")
    assert service.told == [said, newer]


async def test_what_breaks_is_tried_again_and_then_set_aside(tmp_path: Path) -> None:
    service, said, clock = FakeService(*[ZeroDivisionError()] * 9), feedback(), Clock()
    async with telling(tmp_path, service, clock) as store:
        await keep(store, said)
        for tries in range(1, 4):
            await until(partial(_attempts, store, said, tries), f"it is set back after try {tries}")
            clock.now += 3600
        await until(lambda: given_up(DeadLetters(store)), "it is given up")
    assert service.tries == 4


async def test_after_a_stop_in_the_middle_it_is_told_at_the_next_start(tmp_path: Path) -> None:
    service, said = FakeService(), feedback()
    service.gate = asyncio.Event()
    async with telling(tmp_path, service) as store:
        await keep(store, said)
        await until(lambda: service.tries == 1, "it is on its way")
    again = FakeService()
    async with telling(tmp_path, again):
        await until(lambda: again.told, "it is told")
    assert again.told == [said]


async def test_nobody_is_told_what_was_erased_meanwhile(tmp_path: Path) -> None:
    service, said, other = FakeService(FeedbackUndelivered("away")), feedback(), feedback(turn="t2")
    async with telling(tmp_path, service, clock := Clock()) as store:
        await keep(store, said)
        await until(partial(_attempts, store, said, 1), "it is set back")
        await store.delete(feedback_key(said.account, said.turn))
        clock.now += retry_pause(1)
        await keep(store, other)
        await until(lambda: nothing_waits(store, other), "another one is told")
        await until(lambda: nothing_waits(store, said), "it is dropped")
        assert not await store.dead()
    assert service.told == [other]


async def test_a_service_that_asks_for_a_pause_gets_it(tmp_path: Path) -> None:
    service, said = FakeService(FeedbackUndelivered("busy", wait=600.0)), feedback()
    async with telling(tmp_path, service, clock := Clock()) as store:
        await keep(store, said)
        await until(partial(_attempts, store, said, 1), "it is set back")
        clock.now += 590
        await keep(store, other := feedback(turn="t2"))
        await until(lambda: nothing_waits(store, other), "another one is told")
        assert service.tries == 2
        clock.now += 11
        await until(lambda: nothing_waits(store, said), "it is told at last")
    assert service.told == [other, said]
