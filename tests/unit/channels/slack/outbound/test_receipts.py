"""Receipts: a reaction on the message while it is being answered, and never in the way."""

import pytest

from tests.kit.platforms.slack_channel import KeepingInbox, Notes, listening, snapshot


def reactions(world, thread):
    return [message for message in world.people.messages(*thread) if not message.from_bot][-1].reactions


async def test_a_message_carries_eyes_until_its_answer_is_there(world):
    channel, thread = world.channel(), world.thread()
    async with listening(channel, KeepingInbox()):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.show(snapshot("Hel"))
        await world.until(lambda: reactions(world, thread) == ("eyes",))
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, thread) == ())
    assert world.ours(thread) == ["Hello"]


@pytest.mark.parametrize("error", ["missing_scope", "already_reacted", "message_not_found", "internal_error"])
async def test_what_slack_refuses_of_it_is_in_nobodys_way(world, error):
    channel, thread = world.channel(), world.thread()
    world.sim.faults.fail_next("reactions.add", error, times=100)
    async with listening(channel, KeepingInbox()):
        for number in range(2):
            reply = channel.open_reply(world.target(thread, turn=f"turn-{number}"), Notes())
            await reply.show(snapshot("Hel"))
            await world.until(lambda: world.sim.calls("reactions.add"))
            await reply.finish(snapshot("Hello"))
    assert world.ours(thread) == ["Hello", "Hello"]


async def test_with_the_setting_off_there_is_none(world):
    channel, thread = world.channel(receipt="off"), world.thread()
    async with listening(channel, KeepingInbox()):
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
    assert not world.sim.calls("reactions.add", "reactions.remove")


async def test_a_message_that_waits_carries_it_already(world):
    channel, thread = world.channel(), world.thread()
    async with listening(channel, KeepingInbox()):
        waiting = channel.open_reply(world.target(thread), Notes())
        await waiting.show_waiting(waits=True)
        await world.until(lambda: reactions(world, thread) == ("eyes",))
        reply = channel.open_reply(world.target(thread), Notes())
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, thread) == ())
        await waiting.show_waiting(waits=False)
        await waiting.show_waiting(waits=True)  # taken back by the person, in the end
        await world.until(lambda: reactions(world, thread) == ("eyes",))
        await waiting.show_waiting(waits=False)
        await world.until(lambda: reactions(world, thread) == ())
    assert len(world.sim.calls("reactions.add")) == 2
    assert len(world.sim.calls("reactions.remove")) == 2
