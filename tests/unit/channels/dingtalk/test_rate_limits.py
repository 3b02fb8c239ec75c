"""What DingTalk counts."""

from __future__ import annotations

import asyncio

import pytest

from parley.channels.dingtalk.rate_limits import DingTalkLimits
from parley.core.model.errors import RateLimited
from parley.core.ports.sending import Priority, sending
from parley.simulator.dingtalk import DingTalkRateLimits, DingTalkSimulator
from parley.simulator.kit.limits import load_limits
from tests.kit.growing_answers import StrictPlatform, latest_final, same
from tests.kit.platforms.dingtalk_channel import Notes, World, make_channel, snapshot
from tests.kit.virtual_time import run_in_virtual_time

_CARD = "/v1.0/card/streaming"


def keys(path: str, **body: str) -> list[str]:
    """What a call counts as."""
    return [each.key for each in DingTalkLimits(30.0).counted_calls(path, dict(body))]


def test_cards_count_by_method_and_all_together():
    assert keys(_CARD) == [_CARD, "cards"]
    assert keys("/v1.0/card/instances")[1] == "cards"


def test_messages_count_by_group():
    path = "/v1.0/robot/groupMessages/send"
    assert keys(path, openConversationId="a") != keys(path, openConversationId="b")
    assert keys("/v1.0/robot/oToMessages/batchSend") == ["oToMessages"]


def test_what_is_read_is_not_counted():
    assert keys("/v1.0/robot/messageFiles/download") == []


@pytest.mark.parametrize(("rate", "expected"), [(30.0, (30, 1.0)), (2.5, (2, 0.8)), (0.25, (1, 4.0))])
def test_the_configured_rate_is_kept_whatever_it_is(rate, expected):
    limit = DingTalkLimits(rate).counted_calls(_CARD, {})[1].limits[0]
    assert (limit.most, limit.seconds) == expected


async def test_many_cards_at_once_stay_under_the_limit_of_the_app():
    with DingTalkSimulator(pace=DingTalkRateLimits(cards_per_second=40)) as sim:
        world = World(sim, sim.people.add_person("Alice"), make_channel(sim))
        channel = world.carded(card_rate=40)
        replies = [channel.open_reply(world.target(turn=f"turn-{n}"), Notes()) for n in range(20)]

        async def grow(reply, number):
            for length in range(1, 4):
                with sending(Priority.SNAPSHOT, reply):
                    try:
                        await reply.show(snapshot(f"{number} " * length))
                    except RateLimited as limit:
                        await asyncio.sleep(limit.retry_after)
            with sending(Priority.FINAL, reply):
                await reply.finish(snapshot(f"answer {number}", final=True))

        await asyncio.gather(*(grow(reply, number) for number, reply in enumerate(replies)))
        assert set(world.answers()) == {f"answer {number}" for number in range(20)}
        assert sim.refused_for_pace == 0


@run_in_virtual_time
async def test_twenty_cards_end_when_their_answers_end():
    platform = StrictPlatform([(_CARD, load_limits("dingtalk")["calls_per_second"].whole, 1.0)])
    call = [DingTalkLimits(30.0).counted_calls(_CARD, {})]
    assert await latest_final(platform, same(20, lambda _: (call, call)), 0.5) < 2.0
    assert platform.refused == 0
