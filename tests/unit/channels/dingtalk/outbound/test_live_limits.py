"""What DingTalk refuses, limits and answers in fact, as its documents and other people's logs say."""

import pytest

from parley.channels.kit.budget.rate_budget import RateBudget
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited
from tests.kit.doubles.leaping_clock import LeapingClock
from tests.kit.platforms.dingtalk_channel import Notes, snapshot

CHINESE = "钉钉群消息有长度限制。" * 1100


async def finish(world, reply, text="hello"):
    return await reply.finish(snapshot(text, final=True))


async def test_a_long_chinese_answer_arrives_in_a_group_without_cards(world):
    group = world.people.add_group("Team", [world.alice.id])
    await finish(world, world.channel.open_reply(world.target(group), Notes()), CHINESE)
    assert "".join(world.answers(group)) == CHINESE
    assert {call.status for call in world.sim.calls("groupSend")} == {200}


async def test_a_long_chinese_answer_is_seen_in_cards(world):
    await finish(world, world.carded().open_reply(world.target(), Notes()), CHINESE)
    assert "".join(world.answers()) == CHINESE
    assert not any(message.growing for message in world.people.messages(world.alice.id))


@pytest.mark.parametrize(
    ("status", "code", "pause"),
    [
        (403, "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi", 1.0),
        (403, "Forbidden.AccessDenied.QpmLimitForAppkeyAndApi", 60.0),
        (400, "send.too.fast", 10.0),
        (400, "send.byToken.tooFast", 10.0),
        (400, "too.many.group", 60.0),
        (400, "too.many.people", 60.0),
    ],
)
async def test_limits_of_every_kind_are_waited_for(world, status, code, pause):
    clock = LeapingClock()
    world.channel._api._budget = RateBudget(clock.now, clock.sleep)
    world.sim.faults.fail_next("batchSend", status, code)
    reply = world.channel.open_reply(world.target(), Notes())
    with pytest.raises(RateLimited) as raised:
        await finish(world, reply)
    assert raised.value.retry_after == pause
    began = clock.now()
    assert not (await finish(world, reply)).doubtful
    assert clock.now() - began >= pause - 0.1


async def test_the_quota_of_a_day_is_not_waited_for(world):
    world.sim.faults.fail_next("batchSend", 403, "integrated.qps.exceed", "请明日再试")
    with pytest.raises(DeliveryRejected):
        await finish(world, world.channel.open_reply(world.target(), Notes()))


@pytest.mark.parametrize("code", ["InvalidAuthentication", "invalidParameter.token.invalid"])
async def test_a_token_that_is_refused_with_400_is_renewed(world, code):
    await world.channel._api.tokens.get()
    world.sim.faults.fail_next("batchSend", 400, code)
    await finish(world, world.channel.open_reply(world.target(), Notes()))
    assert world.answers() == ("hello",)
    assert len(world.sim.calls("accessToken")) == 2


async def test_an_answer_that_says_it_did_not_succeed_is_a_refusal(world):
    world.sim.faults.deny_next("batchSend")
    with pytest.raises(DeliveryRejected):
        await finish(world, world.channel.open_reply(world.target(), Notes()))
    world.sim.faults.deny_next("streaming", 9)
    world.sim.faults.deny_next("update", 9)
    await finish(world, world.carded().open_reply(world.target(turn="turn-2"), Notes()))
    assert world.answers()[-1] == "hello"


async def test_the_throttle_of_an_address_is_waited_for(world):
    clock = LeapingClock()
    world.channel._api._budget = RateBudget(clock.now, clock.sleep)
    world.sim.faults.throttle_next("batchSend", 5)
    reply = world.channel.open_reply(world.target(), Notes())
    with pytest.raises(RateLimited) as raised:
        await finish(world, reply)
    assert raised.value.retry_after == 5
    assert not (await finish(world, reply)).doubtful


async def test_a_page_in_place_of_an_answer_is_no_success(world):
    world.sim.faults.garble_next("batchSend", "<html>limited</html>")
    with pytest.raises(ChannelUnavailable):
        await finish(world, world.channel.open_reply(world.target(), Notes()))


async def test_a_card_that_takes_no_text_does_not_go_on_growing_beside_the_messages(world):
    reply = world.carded().open_reply(world.target(), Notes())
    await reply.show(snapshot("begun"))
    world.sim.faults.fail_next("streaming", 400, "param.stream.content", "content is too large", times=1)
    await finish(world, reply, "钉" * 2000)
    seen = world.people.messages(world.alice.id)
    assert [message.growing for message in seen] == [False, False]
    assert seen[-1].text == "钉" * 2000


async def test_without_a_template_answers_grow_in_dingtalks_own(world):
    reply = world.another_channel(card_template_id="").open_reply(world.target(), Notes())
    await reply.show(snapshot(""))
    await reply.show(snapshot("one"))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.growing, card.preview) == ("one", True, "正在回答……")
    await reply.finish(snapshot("one two", final=True))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.growing) == ("one two", False)


async def test_where_the_template_is_refused_answers_are_plain_and_no_card_is_asked_for_again(world):
    channel = world.another_channel(card_template_id="")
    world.sim.world.templates.clear()
    for number in range(2):
        reply = channel.open_reply(world.target(turn=f"turn-{number}"), Notes())
        await reply.show(snapshot("so far"))
        await reply.finish(snapshot(f"answer {number}", final=True))
    assert world.answers() == ("answer 0", "answer 1")
    assert len(world.sim.calls("createAndDeliver")) <= 2


async def test_a_card_that_was_made_before_is_gone_on_with(world):
    for _ in range(2):
        await finish(world, world.carded().open_reply(world.target(), Notes()))
    assert world.answers() == ("hello",)
    assert [call.status for call in world.sim.calls("createAndDeliver")] == [200, 400]


async def test_a_card_that_was_made_and_not_shown_is_no_delivery(world):
    world.people.remove_robot(world.alice.id)
    with pytest.raises(DeliveryRejected):
        await finish(world, world.carded().open_reply(world.target(), Notes()))
    assert [call.status for call in world.sim.calls("createAndDeliver")] == [200]
    assert world.answers() == ()
