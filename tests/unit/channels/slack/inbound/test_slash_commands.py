"""The slash command: heard once and in time, about the right conversation, and answered to nobody else."""

import asyncio

import pytest

from parley.core.model.types import ReplyTarget
from tests.kit.platforms.slack_channel import KeepingInbox, Notes, listening, served, snapshot

COMMAND = "/parley"


async def given(world, text: str, chat: str = "", **more):
    """The message that a command becomes."""
    inbox = KeepingInbox()
    async with listening(world.channel(**more), inbox):
        world.people.command(chat or world.alice.dm, world.alice.id, COMMAND, text)
        (message,) = await inbox.first()
        await world.until(lambda: world.people.unacknowledged() == 0)
    return message


def target(message, handle: str = "") -> ReplyTarget:
    return ReplyTarget("turn-1", message.conversation, message.id, message.sender, message.private, handle)


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("memory", "/memory"),
        (" Memory  search cake ", "/memory search cake"),
        ("", "/help"),
        ("/help", "/help"),
    ],
)
async def test_it_is_a_command_that_only_its_writer_is_told_of(world, text, heard):
    message = await given(world, text)
    assert (message.text, message.private, message.addressed) == (heard, True, True)
    assert (message.conversation.chat, message.conversation.topic) == (world.alice.dm, None)
    assert message.sender.name == "Alice"


async def test_over_http_it_is_the_same(world):
    inbox, channel = KeepingInbox(), world.channel(events="http", app_token="")
    async with listening(channel, inbox), served(channel) as address:
        await asyncio.to_thread(world.sim.post_to, address)
        world.people.command(world.alice.dm, world.alice.id, COMMAND, "memory")
        (message,) = await inbox.first()
        await world.until(lambda: world.people.unacknowledged() == 0)
        await channel.open_reply(target(message), Notes()).finish(snapshot("Nothing yet."))
    assert message.text == "/memory"
    assert world.people.told(world.alice.dm, world.alice.id) == ("Nothing yet.",)


async def test_what_is_no_command_is_answered_at_once(world):
    inbox = KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.command(world.alice.dm, world.alice.id, COMMAND, "what is the <time>?")
        await world.until(lambda: world.people.told(world.alice.dm, world.alice.id))
    assert inbox.messages == []
    assert "/parley help" in world.people.told(world.alice.dm, world.alice.id)[0]


async def test_a_guest_is_not_heard(world):
    gus, inbox = world.people.add_person("Gus", guest="one"), KeepingInbox()
    async with listening(world.channel(), inbox):
        world.people.command(gus.dm, gus.id, COMMAND, "memory")
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert inbox.messages == []


async def test_stop_is_for_the_thread_in_which_both_spoke_last(world):
    people, bot = world.people, world.sim.world.bot.id
    first, second, third = (people.say(world.alice.dm, world.alice.id, text) for text in "abc")
    people.say(world.alice.dm, bot, "answer", second)
    people.say(world.alice.dm, bot, "answer", first)
    message = await given(world, "stop", direct="threads")
    assert message.conversation.topic == first != third


async def test_where_nothing_is_going_on_there_is_nothing_to_stop(world):
    inbox = KeepingInbox()
    chat, _ = world.thread()
    async with listening(world.channel(), inbox):
        await inbox.first(2)
        world.people.command(chat, world.alice.id, COMMAND, "stop")
        await world.until(lambda: world.people.told(chat, world.alice.id))
    assert "/stop" in world.people.told(chat, world.alice.id)[0]
    assert len(inbox.messages) == 2


async def test_in_one_long_talk_it_is_about_that(world):
    message = await given(world, "new", direct="one")
    assert message.conversation.topic is None


@pytest.mark.parametrize("fault", ["", "the address is gone", "another node", "not in the chat"])
async def test_its_answer_is_for_nobody_else(world, fault):
    chat = world.people.add_channel("team", [world.alice.id])
    inbox, channel = KeepingInbox(), world.channel()
    async with listening(channel, inbox):
        world.people.command(chat, world.alice.id, COMMAND, "help")
        (message,) = await inbox.first()
    if fault == "the address is gone":
        world.sim.faults.fail_next("respond", "expired_url", status=404, times=9)
    elif fault:
        channel = world.channel()
    if fault == "not in the chat":
        world.people.close(chat)
    notes = Notes()
    await channel.open_reply(target(message), notes).finish(snapshot("Some <!channel> **help**"))
    again = await channel.open_reply(target(message, notes.last), notes).finish(snapshot("Some help"))
    told = world.people.told(chat, world.alice.id)
    if fault == "not in the chat":
        assert told == ()
        told = tuple(world.people.answers(world.alice.dm))
    assert len(told) == 1
    assert told[0].endswith("help")
    assert not again.doubtful
    assert world.people.answers(chat) == ()


async def test_an_answer_that_was_on_its_way_is_said_again_and_counted(world):
    message = await given(world, "help")
    receipt = await world.channel().open_reply(target(message, "sending"), Notes()).finish(snapshot("Help"))
    assert receipt.doubtful


async def test_an_address_elsewhere_is_not_called(world):
    inbox, channel = KeepingInbox(), world.channel()
    payload = {"command": COMMAND, "text": "help", "trigger_id": "1.2", "user_id": world.alice.id}
    async with listening(channel, inbox):
        payload |= {"channel_id": world.alice.dm, "response_url": "http://127.0.0.2:1/steal"}
        world.people.inject(payload, "slash_commands")
        (message,) = await inbox.first()
    await channel.open_reply(target(message), Notes()).finish(snapshot("Help"))
    assert world.people.told(world.alice.dm, world.alice.id) == ("Help",)


@pytest.mark.parametrize("missing", ["command", "trigger_id", "user_id", "channel_id"])
async def test_a_command_that_says_too_little_is_skipped(world, missing):
    inbox = KeepingInbox()
    payload = {"command": COMMAND, "text": "help", "trigger_id": "1.2", "user_id": world.alice.id}
    payload |= {"channel_id": world.alice.dm}
    async with listening(world.channel(), inbox):
        world.people.inject(payload | {missing: None}, "slash_commands")
        world.people.say(world.alice.dm, world.alice.id, "and now")
        assert (await inbox.first())[0].text == "and now"
