"""A node that cannot prove its lease does nothing more in the outside world."""

from __future__ import annotations

import asyncio
import time

import pytest

from parley.core.delivery.delivery import Delivery
from parley.core.flow_control.semaphore import CountingSemaphore
from parley.core.model.address import Conversation, User
from parley.core.model.errors import LaneLost
from parley.core.model.types import OutboundMessage, ReplyTarget
from parley.core.ports.lease import (
    PERMANENT_LEASE,
    LeaseToken,
    holding_lease,
    lease_expired,
    require_lease,
    uptime,
)
from tests.kit.doubles.core import RecordingChannel, core, message


class Uptime:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Uptime:
    return Uptime()


def test_it_may_act_until_a_fifth_of_its_lease_is_left(clock: Uptime):
    tenure = LeaseToken(10, clock.now, clock)
    clock.now += 7.9
    tenure.require()
    clock.now += 0.2
    with pytest.raises(LaneLost):
        tenure.require()


def test_a_proof_counts_from_when_it_was_asked_for(clock: Uptime):
    tenure = LeaseToken(10, clock.now, clock)
    clock.now += 5
    assert tenure.extend(clock.now - 2)
    assert tenure.left == 8


def test_an_older_proof_takes_nothing_away(clock: Uptime):
    tenure = LeaseToken(10, clock.now, clock)
    assert tenure.extend(clock.now - 5)
    assert tenure.left == 10


def test_what_lapsed_never_comes_back(clock: Uptime):
    tenure = LeaseToken(10, clock.now, clock)
    clock.now += 10
    assert not tenure.extend(clock.now)
    with pytest.raises(LaneLost):
        tenure.require()


def test_who_shares_with_nobody_may_always_act():
    with holding_lease(PERMANENT_LEASE):
        require_lease()
        assert not lease_expired()


async def test_tasks_that_begin_inside_are_bound_by_it(clock: Uptime):
    async def act() -> None:
        require_lease()

    with holding_lease(LeaseToken(10, clock.now - 10, clock)):
        task = asyncio.create_task(act())
    require_lease()
    with pytest.raises(LaneLost):
        await task


def test_the_clock_is_not_the_one_that_people_set():
    assert abs(uptime() - time.time()) > 1000


def target() -> ReplyTarget:
    return ReplyTarget("turn", Conversation("test", "chat"), "m", User("test", "ann"), True, "")


def snapshot() -> OutboundMessage:
    return OutboundMessage("turn", Conversation("test", "chat"), "m", "hello", final=True)


async def keep(handle: str) -> None:
    """A checkpoint."""


async def test_a_reply_that_is_not_ours_any_more_is_not_sent(clock: Uptime):
    channel = RecordingChannel()
    delivery = Delivery(channel.open_reply(target(), keep), 0.0)
    with holding_lease(LeaseToken(10, clock.now - 9, clock)), pytest.raises(LaneLost):
        await delivery.finish(snapshot())
    assert channel.finals == []


async def test_what_arrived_when_the_lease_was_over_is_in_doubt(clock: Uptime):
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    delivery = Delivery(channel.open_reply(target(), keep), 0.0)
    with holding_lease(LeaseToken(10, clock.now, clock)):
        sending = asyncio.create_task(delivery.finish(snapshot()))
    await channel.finishing.wait()
    clock.now += 11
    channel.finish_gate.set()
    assert (await sending).doubtful


async def test_a_turn_whose_lease_lapsed_shows_nothing_and_is_given_back(tmp_path, clock: Uptime):
    async with core(tmp_path, working=False) as made:
        await made.bus.publish_inbound(message("hello"))
        claim, *_ = await made.journal.claim("turns/test", 1)
        lost = type(claim)(claim.queue, claim.lane, claim.epoch, claim.items, LeaseToken(10, 0.0, clock))
        slots = CountingSemaphore(1)
        await slots.acquire(1)
        made.manager._lanes._start(lost, slots, made.manager._work_turn)
        await slots.acquire(1)  # it was given back
        assert made.channel.finals == []
        assert made.channel.shown == []
        (again,) = await made.journal.claim("turns/test", 1)
        assert again.items[0].id == claim.items[0].id
