"""One pace for all cards."""

import asyncio

import pytest

from parley.channels.dingtalk.outbound.token_bucket import TokenBucket
from parley.core.model.errors import RateLimited
from parley.simulator.dingtalk import DingTalkRateLimits, DingTalkSimulator
from tests.kit.platforms.dingtalk_channel import Notes, World, make_channel, snapshot


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_after_a_burst_snapshots_are_sent_away_until_there_is_room():
    clock = Clock()
    bucket = TokenBucket(10, 3, clock, clock.sleep)
    for _ in range(3):
        bucket.try_take()
    with pytest.raises(RateLimited) as raised:
        bucket.try_take()
    assert 0 < raised.value.retry_after <= 1
    clock.now += 0.11
    bucket.try_take()


async def test_finals_wait_their_turn_and_go_before_snapshots():
    clock = Clock()
    bucket = TokenBucket(10, 1, clock, clock.sleep)
    for _ in range(11):
        await bucket.take()
    assert clock.now == pytest.approx(101.0)
    with pytest.raises(RateLimited):
        bucket.try_take()


async def test_many_cards_at_once_stay_under_the_limit_of_the_app():
    with DingTalkSimulator(pace=DingTalkRateLimits(cards_per_second=60)) as sim:
        world = World(sim, sim.people.add_person("Alice"), make_channel(sim))
        channel = world.carded(card_rate=30)
        replies = [channel.open_reply(world.target(turn=f"turn-{n}"), Notes()) for n in range(20)]

        async def grow(reply, number):
            for length in range(1, 4):
                try:
                    await reply.show(snapshot(f"{number} " * length))
                except RateLimited as limit:
                    await asyncio.sleep(limit.retry_after)
            await reply.finish(snapshot(f"answer {number}", final=True))

        await asyncio.gather(*(grow(reply, number) for number, reply in enumerate(replies)))
        assert set(world.answers()) == {f"answer {number}" for number in range(20)}
        assert sim.refused_for_pace == 0
