"""The bot is taken into groups, thrown out of them and blocked."""

import pytest

from parley.core.texts import Sentence, say
from tests.kit.platforms.telegram_channel import KeepingInbox, listening

HELLO = say("en", Sentence.GROUP_WELCOME, mention="@parley_bot")


@pytest.fixture
def group(world):
    return world.people.add_group("Team", [world.alice.id])


async def heard_before(world, inbox, last):
    """All that was heard before a message that is sent now."""
    world.say(last)
    await world.until(lambda: inbox.messages and inbox.messages[-1].text == last)
    return inbox.messages[:-1]


async def test_a_group_is_told_once_how_to_talk_to_the_bot(world, group):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.add_bot(group)
        await world.until(lambda: world.answers(group) == (HELLO,))
        await world.until(lambda: world.people.unconfirmed() == 0)
        # The update, and the message of the platform that says so, too.
        world.people.redeliver(2)
        assert await heard_before(world, inbox, "the last") == []
    # Another node with the same store is told again, too.
    async with listening(world.another_channel(), other := KeepingInbox()):
        await world.until(lambda: world.people.unconfirmed() == 0)
        world.people.redeliver(3)
        heard = await heard_before(world, other, "really the last")
        assert {message.text for message in heard} <= {"the last"}
    assert world.answers(group) == (HELLO,)


async def test_a_bot_that_is_taken_in_again_says_it_again(world, group):
    async with listening(world.channel, KeepingInbox()):
        for count in (1, 2):
            world.people.add_bot(group)
            await world.until(lambda count=count: world.answers(group) == (HELLO,) * count)
            world.people.remove_bot(group)


async def test_who_took_it_in_is_greeted_in_their_language(world):
    mei = world.people.add_person("Mei", language="zh-hans")
    group = world.people.add_group("Team", [mei.id])
    async with listening(world.channel, KeepingInbox()):
        world.people.add_bot(group, mei.id)
        await world.until(lambda: world.answers(group))
    assert world.answers(group) == (say("zh", Sentence.GROUP_WELCOME, mention="@parley_bot"),)


async def test_it_waits_for_a_store_that_is_away(world, group):
    async with listening(world.channel, KeepingInbox()):
        world.documents.refusals = 1
        world.people.add_bot(group)
        await world.until(lambda: world.answers(group) == (HELLO,))


async def test_a_group_that_does_not_let_it_write_ends_nothing(world, group):
    world.sim.faults.fail_next("sendMessage", 403, "Forbidden: bot is not a member of the supergroup chat")
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.add_bot(group)
        await world.until(lambda: world.sim.calls("sendMessage"))
        assert await heard_before(world, inbox, "the last") == []
    assert world.answers(group) == ()


async def test_with_the_setting_off_nothing_is_said(world, group):
    inbox = KeepingInbox()
    async with listening(world.another_channel(welcome=False), inbox):
        world.people.add_bot(group)
        assert await heard_before(world, inbox, "the last") == []
    assert world.sim.calls("sendMessage") == ()


async def test_who_blocks_the_bot_stops_what_it_does_for_them(world):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.remove_bot(world.alice.id)
        (stop,) = await inbox.first()
        world.people.add_bot(world.alice.id)
        assert await heard_before(world, inbox, "the last") == [stop]
    assert (stop.text, stop.private, stop.addressed) == ("/stop", True, True)
    assert stop.sender.id == stop.conversation.chat == str(world.alice.id)
    assert stop.id.startswith("stop:")


async def test_being_thrown_out_of_a_group_says_nothing(world, group):
    inbox = KeepingInbox()
    async with listening(world.channel, inbox):
        world.people.remove_bot(group)
        assert await heard_before(world, inbox, "the last") == []
    assert world.sim.calls("sendMessage") == ()
