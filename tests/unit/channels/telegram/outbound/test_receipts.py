"""Receipts: a reaction on the message while it is being answered, and never in the way."""

import pytest

from tests.kit.platforms.telegram_channel import KeepingInbox, Notes, listening, snapshot


def reactions(world, chat, number):
    (message,) = [each for each in world.people.messages(chat) if each.id == number]
    return message.reactions


@pytest.fixture
def said(world):
    """A message in a group, and its chat."""
    chat = world.people.add_group("Team", [world.alice.id])
    return chat, world.people.say(chat, world.alice.id, "@parley_bot hello")


async def test_a_message_carries_eyes_until_its_answer_is_there(world, said):
    chat, number = said
    async with listening(world.channel, KeepingInbox()):
        reply = world.channel.open_reply(world.target(chat, reply_to=number), Notes())
        await reply.show(snapshot("Hel"))
        await world.until(lambda: reactions(world, chat, number) == ("👀",))
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, chat, number) == ())
    assert world.answers(chat) == ("Hello",)


async def test_one_that_a_crash_left_is_taken_away_by_who_goes_on(world, said):
    chat, number = said
    notes = Notes()
    async with listening(world.channel, KeepingInbox()):
        reply = world.channel.open_reply(world.target(chat, reply_to=number), notes)
        await reply.show(snapshot("Hel"))
        await world.until(lambda: reactions(world, chat, number) == ("👀",))
    other = world.another_channel()
    async with listening(other, KeepingInbox()):
        target = world.target(chat, handle=notes.last, reply_to=number)
        await other.open_reply(target, Notes()).finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, chat, number) == ())


async def test_it_moves_with_the_group(world):
    chat = world.people.add_group("Team", [world.alice.id], kind="group")
    world.people.say(chat, world.alice.id, "@parley_bot hello")
    async with listening(world.channel, KeepingInbox()):
        new = world.people.upgrade(chat)
        number = world.people.say(new, world.alice.id, "@parley_bot hello again")
        reply = world.channel.open_reply(world.target(chat, reply_to=number), Notes())
        await reply.show(snapshot("Hel"))
        await world.until(lambda: reactions(world, new, number) == ("👀",))


@pytest.mark.parametrize(
    ("status", "words", "pause"),
    [
        (400, "Bad Request: REACTION_INVALID", 0),
        (400, "Bad Request: message to react not found", 0),
        (429, "", 60),
        (502, "Bad Gateway", 0),
    ],
)
async def test_what_telegram_refuses_of_it_is_in_nobodys_way(world, said, status, words, pause):
    chat, number = said
    world.sim.faults.fail_next("setMessageReaction", status, words, retry_after=pause, times=100)
    async with listening(world.channel, KeepingInbox()):
        reply = world.channel.open_reply(world.target(chat, reply_to=number), Notes())
        await reply.show(snapshot("Hel"))
        await world.until(lambda: world.sim.calls("setMessageReaction"))
        await reply.finish(snapshot("Hello"))
    assert world.answers(chat) == ("Hello",)


async def test_with_the_setting_off_there_is_none(world, said):
    chat, number = said
    channel = world.another_channel(receipt="off")
    async with listening(channel, KeepingInbox()):
        reply = channel.open_reply(world.target(chat, reply_to=number), Notes())
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
    assert world.sim.calls("setMessageReaction") == ()


async def test_a_message_that_waits_carries_it_already(world, said):
    chat, number = said
    async with listening(world.channel, KeepingInbox()):
        waiting = world.channel.open_reply(world.target(chat, reply_to=number), Notes())
        await waiting.show_waiting(waits=True)
        await world.until(lambda: reactions(world, chat, number) == ("👀",))
        reply = world.channel.open_reply(world.target(chat, reply_to=number), Notes())
        await reply.show(snapshot("Hel"))
        await reply.finish(snapshot("Hello"))
        await world.until(lambda: reactions(world, chat, number) == ())
    assert world.answers(chat) == ("Hello",)
