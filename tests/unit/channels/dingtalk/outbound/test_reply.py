"""Answers: cards that grow, plain messages, and what is done when DingTalk refuses."""

import asyncio

import pytest

from parley.channels.dingtalk.formatting import MAX_PART_BYTES
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited
from tests.kit.platforms.dingtalk_channel import Notes, snapshot

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


async def finished(reply, text, **more):
    """Deliver a final text as the core does: again after every failure."""
    while True:
        try:
            return await reply.finish(snapshot(text, final=True, **more))
        except RateLimited as limit:
            await asyncio.sleep(limit.retry_after)
        except ChannelUnavailable:
            continue


async def test_an_answer_grows_in_one_card_and_is_closed(world):
    reply = world.carded().open_reply(world.target(), Notes())
    await reply.show(snapshot(""))
    (card,) = world.people.messages(world.alice.id)
    assert (card.kind, card.text, card.growing) == ("card", "", True)
    await reply.show(snapshot("one"))
    await reply.show(snapshot("one two"))
    receipt = await reply.finish(snapshot("one two three", final=True))
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.growing) == ("one two three", False)
    assert world.people.growth(world.alice.id) == ("one", "one two", "one two three")
    assert receipt.message_ids == ("parley-turn-1-0",)
    assert not receipt.doubtful


async def test_a_group_gets_its_card(world):
    group = world.people.add_group("Team", [world.alice.id])
    reply = world.carded().open_reply(world.target(group), Notes())
    await reply.finish(snapshot("hello all", final=True))
    assert world.answers(group) == ("hello all",)


async def test_a_card_whose_making_or_filling_was_not_answered_is_not_made_twice(world):
    for method in ("createAndDeliver", "streaming"):
        world.sim.faults.reset_next(method, "after", times=2)
    receipt = await finished(world.carded().open_reply(world.target(), Notes()), "once")
    assert world.answers() == ("once",)
    assert not receipt.doubtful


async def test_another_process_goes_on_with_the_same_card(world):
    notes = Notes()
    await world.carded().open_reply(world.target(), notes).show(snapshot("one"))
    reply = world.carded().open_reply(world.target(handle=notes.last), Notes())
    await reply.finish(snapshot("one two", final=True))
    forgetful = world.carded().open_reply(world.target(), Notes())
    await forgetful.finish(snapshot("one two", final=True))
    assert world.answers() == ("one two",)


async def test_a_long_answer_is_several_cards(world):
    text = " ".join(f"word{number}" for number in range(6000))
    reply = world.carded().open_reply(world.target(), Notes())
    await reply.show(snapshot(text[: MAX_PART_BYTES + 100]))
    await reply.finish(snapshot(text, final=True))
    cards = world.people.messages(world.alice.id)
    assert " ".join(card.text for card in cards).split() == text.split()
    assert not any(card.growing for card in cards)


async def test_cards_that_the_final_text_does_not_need_are_closed(world):
    reply = world.carded().open_reply(world.target(), Notes())
    await reply.show(snapshot("word " * 700))
    await reply.finish(snapshot("short", final=True))
    assert world.answers() == ("short", "…")
    assert not any(card.growing for card in world.people.messages(world.alice.id))


async def test_a_limit_of_calls_is_waited_for_and_then_the_text_goes_another_way(world):
    reply = world.carded().open_reply(world.target(), Notes())
    await reply.show(snapshot("one"))
    world.sim.faults.fail_next("streaming", 403, times=3)
    with pytest.raises(RateLimited):
        await reply.finish(snapshot("one two", final=True))
    await finished(reply, "one two")
    (card,) = world.people.messages(world.alice.id)
    assert (card.text, card.growing) == ("one two", False)
    assert len(world.sim.calls("update")) == 1


async def test_a_card_that_takes_no_last_text_at_all_is_followed_by_a_plain_message(world):
    reply = world.carded().open_reply(world.target(), Notes())
    await reply.show(snapshot("one"))
    for method in ("streaming", "update"):
        world.sim.faults.fail_next(method, 400, "param.odd", times=9)
    await reply.finish(snapshot(f"all of it\n\n{TABLE}", final=True))
    assert world.answers()[1] == "all of it\n\n- a: 1 · b: 2"


async def test_without_leave_to_make_cards_the_answer_is_plain(world):
    reply = world.another_channel(card_template_id="unknown.schema").open_reply(world.target(), Notes())
    await reply.show(snapshot("one"))
    await reply.show(snapshot("one two"))
    await reply.finish(snapshot("one two three", final=True))
    (message,) = world.people.messages(world.alice.id)
    assert (message.kind, message.text) == ("sampleMarkdown", "one two three")


async def test_limits_while_it_grows_end_the_growing_and_not_the_answer(world):
    world.sim.faults.fail_next("streaming", 403, times=3)
    reply = world.carded().open_reply(world.target(), Notes())
    for text in ("a", "ab", "abc"):
        with pytest.raises(RateLimited):
            await reply.show(snapshot(text))
    calls = len(world.sim.calls())
    await reply.show(snapshot("abcd"))
    assert len(world.sim.calls()) == calls
    await finished(reply, "abcde")
    assert world.answers() == ("abcde",)


async def test_a_text_that_comes_back_is_shown_again(world):
    reply = world.carded().open_reply(world.target(), Notes())
    for text in ("a", "a\n\nstep", "a"):
        await reply.show(snapshot(text))
    assert world.answers() == ("a",)


async def test_without_a_template_one_plain_message_comes_at_the_end(world):
    reply = world.channel.open_reply(world.target(), Notes())
    await reply.show(snapshot("so far"))
    assert world.sim.calls() == ()
    receipt = await reply.finish(snapshot("# The answer\n\nis **42**", final=True))
    (message,) = world.people.messages(world.alice.id)
    assert (message.title, message.shown) == ("The answer", "The answer\n\nis 42")
    assert len(receipt.message_ids) == 1


async def test_a_plain_answer_in_parts_goes_on_after_the_last_that_was_noted(world):
    text, notes = " ".join(f"word{number}" for number in range(6000)), Notes()
    group = world.people.add_group("Team", [world.alice.id])
    world.sim.faults.slow_next("groupSend", 0.0)
    world.sim.faults.fail_next("groupSend", 400, "param.odd")
    with pytest.raises(DeliveryRejected):
        await world.channel.open_reply(world.target(group), notes).finish(snapshot(text, final=True))
    assert len(world.answers(group)) == 1
    again = world.another_channel().open_reply(world.target(group, handle=notes.last), notes)
    receipt = await again.finish(snapshot(text, final=True))
    assert " ".join(world.answers(group)).split() == text.split()
    assert not receipt.doubtful


@pytest.mark.parametrize("trouble", ["reset", "garbage", "crash"])
async def test_a_plain_message_whose_answer_was_lost_is_sent_again_and_doubted(world, trouble):
    notes = Notes()
    reply = world.channel.open_reply(world.target(), notes)
    match trouble:
        case "garbage":
            world.sim.faults.garble_next("batchSend")
        case _:
            world.sim.faults.reset_next("batchSend", "after")
    with pytest.raises(ChannelUnavailable):
        await reply.finish(snapshot("once?", final=True))
    if trouble == "crash":
        reply = world.another_channel().open_reply(world.target(handle=notes.last), notes)
    receipt = await reply.finish(snapshot("once?", final=True))
    assert world.answers() == ("once?", "once?")
    assert receipt.doubtful


async def test_a_plain_message_that_was_refused_is_not_doubted(world):
    world.sim.faults.fail_next("batchSend", 403)
    receipt = await finished(world.channel.open_reply(world.target(), Notes()), "once")
    assert world.answers() == ("once",)
    assert not receipt.doubtful


async def test_whom_a_message_does_not_reach_is_a_refusal(world):
    world.people.remove_robot(world.alice.id)
    for channel in (world.channel, world.carded()):
        with pytest.raises(DeliveryRejected):
            await channel.open_reply(world.target(), Notes()).finish(snapshot("hello", final=True))


async def test_a_token_that_ended_early_is_asked_for_anew(world):
    channel = world.channel
    await channel.open_reply(world.target(), Notes()).finish(snapshot("one", final=True))
    world.sim.world.expire_tokens()
    await channel.open_reply(world.target(), Notes()).finish(snapshot("two", final=True))
    assert world.answers() == ("one", "two")
    assert len(world.sim.calls("accessToken")) == 2


async def test_an_unreadable_handle_is_none(world):
    reply = world.carded().open_reply(world.target(handle='{"c": "x"'), Notes())
    await reply.finish(snapshot("hello", final=True))
    assert world.answers() == ("hello",)
