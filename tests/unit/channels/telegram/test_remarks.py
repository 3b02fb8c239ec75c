"""What /whoami is told of privacy mode."""

import pytest

from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelUnavailable
from parley.core.texts import Sentence


@pytest.fixture
def group(world):
    return world.people.add_group("Team", [world.alice.id])


def place(chat):
    return Conversation("telegram", str(chat))


async def test_in_a_group_with_privacy_mode_it_is_said_what_the_bot_hears(world, group):
    channel = world.another_channel(context_messages="off")
    assert await channel.remarks(place(group)) == (Sentence.HEARS_ADDRESSED,)


async def test_where_more_should_be_heard_it_is_said_how(world, group):
    for rule in ({"mention": "never", "context_messages": "off"}, {"context_messages": "thread"}):
        remarks = await world.another_channel(**rule).remarks(place(group))
        assert remarks == (Sentence.HEARS_ADDRESSED, Sentence.HEARS_ALL_HOW)


async def test_nothing_is_said_where_all_is_heard(world, group):
    assert await world.channel.remarks(place(world.alice.id)) == ()
    world.people.make_bot_admin(group)
    assert await world.channel.remarks(place(group)) == ()
    world.people.set_privacy(False)
    assert await world.channel.remarks(place(world.people.add_group("Other", [world.alice.id]))) == ()


async def test_what_telegram_does_not_tell_is_an_error_for_the_core(world, group):
    world.sim.faults.fail_next("getChatMember", 502, "Bad Gateway")
    with pytest.raises(ChannelUnavailable):
        await world.channel.remarks(place(group))


@pytest.mark.parametrize(
    ("setting", "key"),
    [
        ({"mention": "never"}, "mention"),
        ({"chats": {"-*": {"mention": "never"}}}, "chats"),
        ({"context_messages": "chat"}, "context_messages"),
    ],
)
async def test_a_check_names_the_setting_that_privacy_mode_is_in_the_way_of(world, setting, key):
    channel = world.another_channel(**setting)
    ((lacking, how),) = (await channel.preflight()).lacking
    assert lacking == key
    assert "/setprivacy" in how
    world.people.set_privacy(False)
    assert (await channel.preflight()).lacking == ()


async def test_a_check_says_nothing_of_it_where_mentions_are_enough(world):
    assert (await world.channel.preflight()).lacking == ()
    assert (await world.another_channel(context_messages="thread").preflight()).lacking == ()
